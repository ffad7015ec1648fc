import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import type { HttpResponse } from '../../../libs/ports/http.ts'
import { StoreBehind } from '../../../libs/ports/store.ts'
import { memoryCache } from '../../../libs/ports/testing/memory-cache.ts'
import type { Head } from '../../../libs/presenters/lookups.ts'
import { type GroupName, groupId } from '../../../libs/tables/declare/group-versions.ts'
import type { Announcement } from '../../../libs/topics/changes.ts'
import type { Committed, WriteThrough } from '../../projector/loop/write-through.ts'
import { writeThrough } from '../../projector/loop/write-through.ts'
import { CachePositions } from '../clock/cache-positions.ts'
import { HeadOfGroups } from '../clock/follow-changes.ts'
import { targets } from '../endpoints/testing/stories.ts'
import { lateCache } from './late-cache.ts'
import { type Shown, type ShownOfHead, shownIn } from './shown.ts'
import { SimulatedProgress } from './simulated-progress.ts'
import { groupOf, SimulatedProjectors } from './simulated-projectors.ts'
import { SimulatedReplicas } from './simulated-replicas.ts'
import {
  type Component,
  cast,
  clock,
  components,
  historyFrom,
  hotRowsOf,
  rateHoursComponent,
} from './simulated-tables.ts'
import type { Target } from './targets.ts'
import { figuresStepSeconds, testApi } from './test-api.ts'

/** A number from 0 to below 1; equal seeds, equal runs. */
export type Random = () => number

const targetsOfRun = 2
const chances = {
  ...{ everything: 0.02, hidden: 0.03, revert: 0.2, gone: 0.15, blocksBack: 0.2 },
  ...{ manyBlocksBack: 0.02, filter: 0.1 },
}

/** What was put on `changes`. */
interface Published {
  readonly announced: Announcement | null
  readonly group: string
  /** Nobody ever gets it. */
  readonly isLost: boolean
  /** How much had been written when it was said. */
  readonly at: number
  /** The head of one who has heard all up to here. */
  readonly head: Head | null
}

interface Process {
  readonly api: ReturnType<typeof testApi>
  /** Announcements heard, lost ones that it stepped over included. */
  consumed: number
}

interface Asked {
  readonly target: Target
  readonly process: Process
  readonly consumed: number
  readonly load: Load
  readonly answer: Promise<HttpResponse>
}

/** A question of a process while it is answered, be it for several requests. */
interface Load {
  readonly process: Process
  readonly target: Target
  /** Whether a late replica was let answer: nobody but those who wait may get that. */
  isBehind: boolean
}

/** What a run is about; all of it, if nothing is said. */
export interface CheckerOptions {
  readonly isAsked?: (path: string) => boolean
  readonly isMoving?: (component: Component) => boolean
  /** Whether processes load filters of absent subjects, now and then. */
  readonly hasFilters?: boolean
  /** Whether one process waits for the page that the other one loads. */
  readonly hasLeases?: boolean
}

const loading = new AsyncLocalStorage<Load>()

/** Rounds of queries of an answer: each begins once a turn of the event loop has ended. */
const rounds = 5
/** Of the clock by which leases end. */
const stepMs = 5

/** What a step causes has happened, as far as it waits for no further step. */
async function settled(): Promise<void> {
  for (let round = 0; round < rounds; round++) await setImmediate()
}

/** One run: tables that change, projectors that tell, two processes that answer. */
export class Checker {
  readonly complaints: string[] = []
  answered = 0
  private readonly random: Random
  /** Every content of every component, with the time from which it stood. */
  private readonly written = new Map<Component, (readonly [at: number, stamp: number])[]>()
  private readonly published: Published[] = []
  private readonly oracle = new HeadOfGroups()
  private readonly processes: readonly Process[]
  private readonly gates: (() => void)[] = []
  private readonly asked = new Set<Asked>()
  private readonly loads = new Set<Load>()
  private readonly projectors: SimulatedProjectors
  private readonly replicas: SimulatedReplicas
  private readonly write: WriteThrough
  private readonly progress = new SimulatedProgress()
  /** What answers have shown: what moves besides would tell nothing. */
  private readonly shown = new Set<Component>()
  private readonly moving: readonly Component[]
  private readonly targets: readonly Target[]
  private readonly hasFilters: boolean
  /** Of leases; a lease ends after some. */
  private steps = 0
  private at = 0
  /** When late replicas were refused: answers may be 503 since. */
  private readonly refusals: number[] = []
  private block = clock.firstBlock

  constructor(
    random: Random,
    { isAsked, isMoving, hasFilters = false, hasLeases = false }: CheckerOptions = {},
  ) {
    this.random = random
    this.hasFilters = hasFilters
    const asked = targets.filter(({ path }) => isAsked?.(path) ?? true)
    this.moving = components.filter((component) => isMoving?.(component) ?? true)
    for (const component of components) {
      // Hours begin with what is announced.
      this.written.set(component, [[0, component === rateHoursComponent ? 0 : 1]])
    }
    // Few questions, each of them asked often.
    this.targets = Array.from({ length: targetsOfRun }, () => this.one(asked))
    const now = () => this.steps * stepMs
    const held = memoryCache({ bytesMax: 10_000_000, now })
    const time = { now, pause: () => this.waited() }
    const cache = lateCache(held, { hasLeases, waited: () => this.waited() })
    this.projectors = new SimulatedProjectors(hotRowsOf((component) => this.contentOf(component)))
    this.replicas = new SimulatedReplicas({
      random,
      contentAt: (component, at) => this.contentAt(component, at),
      progressAt: (group, at) => this.progress.positionAt(group, at),
      onBehind: () => {
        const load = loading.getStore()
        if (load !== undefined) load.isBehind = true
      },
      onRefused: () => this.refusals.push(this.at),
      waited: () => this.waited(),
    })
    this.write = writeThrough(cache, this.replicas.facts)
    this.processes = [1, 2].map(() => {
      const positions = new CachePositions()
      const announced = (group: GroupName) => api.clock.announcedPosition(group)
      const run = this.replicas.runFor(announced, { cache, positions })
      const known = { cache, positions, time, writtenRateHour: () => this.writtenRateHour() }
      const api = testApi(run, known)
      return { api, consumed: 0 }
    })
  }

  async run(steps: number): Promise<void> {
    for (const group of ['ledger', 'state'] as const) await this.announce(group)
    for (let step = 0; step < steps; step++) {
      await this.step()
      await settled()
    }
    while (this.asked.size > 0) {
      this.release()
      await settled()
    }
  }

  private async step(): Promise<void> {
    this.steps++
    if (this.hasFilters && this.random() < chances.filter) this.loadFilter(this.one(this.processes))
    const dice = this.random()
    if (dice < 0.06) this.change(this.one(this.worthChanging))
    else if (dice < 0.12) await this.announce(this.one(['ledger', 'state', 'dimensions']))
    else if (dice < 0.13) this.announceAgain()
    else if (dice < 0.27) this.deliver(this.one(this.processes))
    else if (dice < 0.3) this.replicas.fetch(this.at)
    else if (dice < 0.6) this.ask(this.one(this.processes), this.one(this.targets))
    else this.release()
  }

  private get worthChanging(): readonly Component[] {
    const shown = this.moving.filter((component) => this.shown.has(component))
    return shown.length > 0 ? shown : this.moving
  }

  /** A new content, or one that stood before: a block that is reverted. */
  private change(component: Component): void {
    const history = this.written.get(component) ?? []
    const isRevert = this.random() < chances.revert
    const isGone = this.random() < chances.gone
    const [, before] = this.one(history)
    const fresh = isGone ? 0 : history.length + 1
    let stamp = isRevert ? before : fresh
    // See `shownIn`: what the filter leaves out is told by the token alone.
    if (component === `transfers_by_transaction|${cast.transactions[1]}`)
      stamp = history.length * 2 + 1
    // Hours do not go back.
    if (component === rateHoursComponent) stamp = history.length
    history.push([++this.at, stamp])
    this.projectors.wrote(component)
  }

  private contentOf(component: Component): number {
    return this.contentAt(component, this.at)
  }

  private contentAt(component: Component, time: number): number {
    return this.written.get(component)?.findLast(([at]) => at <= time)?.[1] ?? 0
  }

  /** Of the progress that group `dimensions` has written before its last announcement. */
  private async writtenRateHour(): Promise<number> {
    await this.waited()
    return this.progress.rateHour
  }

  private async announce(group: GroupName): Promise<void> {
    if (group === 'ledger') {
      this.block += this.blocksOn()
    }
    const seconds = (this.block - clock.firstBlock) * clock.blockSeconds
    const place =
      group === 'dimensions'
        ? { block: null, time: this.contentOf(rateHoursComponent) * 3_600 }
        : { block: this.block, time: clock.first + seconds }
    const committed = await this.projectors.flush(group, place, {
      messages: 1 + Math.floor(this.random() * 3),
      isEverything: this.random() < chances.everything,
    })
    this.progress.flushes.push({ committed, at: this.at + 1 })
    void this.write(committed)
    const isHidden = this.published.length > 4 && this.random() < chances.hidden
    this.put(committed, { at: ++this.at, isHidden, isLost: isHidden && this.random() < 0.5 })
  }

  /** How far the chain goes on, or back by a reorganisation. */
  private blocksOn(): number {
    if (this.random() < chances.manyBlocksBack) return clock.firstBlock - 1 - this.block
    return this.random() < chances.blocksBack ? -2 : 1 + Math.floor(this.random() * 2)
  }

  /** What somebody late says and writes: nothing new, whatever was announced meanwhile. */
  private announceAgain(): void {
    if (this.progress.flushes.length === 0) return
    const { committed, at } = this.one(this.progress.flushes)
    void this.write(committed)
    this.put(committed, { at, isHidden: false, isLost: false })
  }

  private put(
    { announcement }: Committed,
    { at, isHidden, isLost }: { at: number; isHidden: boolean; isLost: boolean },
  ): void {
    if (!isHidden) this.oracle.apply(announcement)
    const [announced, { head }] = [isHidden ? null : announcement, this.oracle]
    this.published.push({ announced, group: announcement.group, isLost, at, head })
  }

  private deliver(process: Process): void {
    const next = this.published.findIndex(
      (published, at) => at >= process.consumed && !published.isLost,
    )
    if (next < 0) return
    process.api.deliver(next, this.published[next]?.announced ?? null)
    process.consumed = next + 1
  }

  private loadFilter({ api }: Process): void {
    this.one(api.filters)
      .load()
      .catch((error) => error instanceof StoreBehind || this.complaints.push(String(error)))
  }

  private ask(process: Process, target: Target): void {
    // Headers of its own: the shape is not what is looked at here.
    const load: Load = { process, target, isBehind: false }
    this.loads.add(load)
    const headers = { accept: '*/*' }
    const answer = loading.run(load, () => process.api.ask(target.path, { headers }))
    const asked = { target, process, consumed: process.consumed, load, answer }
    this.asked.add(asked)
    answer.then(
      (response) => this.judge(asked, response),
      (error) => this.complaints.push(String(error)),
    )
  }

  private judge(asked: Asked, response: HttpResponse): void {
    this.asked.delete(asked)
    this.answered++
    const { target, process, consumed } = asked
    // Those who wait for the same answer are judged at once, all others later.
    void setImmediate().then(() => this.loads.delete(asked.load))
    if (response.status === 503 && this.refusals.length > 0) return
    if (this.isOfLateReplica(asked)) return
    const { seen, ofHead } = shownIn(target, response)
    const heads = this.headsConsumed(consumed, process.consumed)
    for (const one of seen) {
      this.shown.add(one.component)
      const since = this.publishedBy(one, consumed, heads)
      if (this.contentsSince(one.component, since).some((stamp) => one.agrees(stamp))) continue
      const may = this.contentsSince(one.component, since).join()
      this.complaints.push(`${target.path} says ${one.says} of ${one.component}: it was ${may}`)
    }
    this.judgeHead(target, ofHead, { heads, consumed })
    const published = response.headers['x-indexed-block']
    for (const { shown, blockNumber } of ofHead.confirmations) {
      if (shown === Math.max(1, Number(published ?? 0) - blockNumber + 1)) continue
      this.complaints.push(
        `${target.path}: ${shown} confirmations at an x-indexed-block of ${published}`,
      )
    }
  }

  private isOfLateReplica({ process, target }: Asked): boolean {
    return [...this.loads].some(
      (load) => load.isBehind && load.process === process && load.target === target,
    )
  }

  private judgeHead(
    { path }: Target,
    { confirmations, isRecent }: ShownOfHead,
    { heads, consumed }: { heads: readonly (Head | null)[]; consumed: number },
  ): void {
    for (const { shown, blockNumber } of confirmations) {
      const right = heads.map((head) => Math.max(1, (head?.block ?? 0) - blockNumber + 1))
      if (!right.includes(shown))
        this.complaints.push(`${path}: ${shown} confirmations, not ${right}`)
    }
    const price = `prices|${new Date((historyFrom - 86_400) * 1_000).toISOString().slice(0, 10)}`
    const since = this.publishedBy({ component: price }, consumed, heads)
    const isNoPrice = this.contentsSince(price, since).includes(0)
    for (const recent of isRecent) {
      if (recent && isNoPrice) continue
      const isRight = heads.some((head) => (head?.time ?? 0) < historyFrom === recent)
      if (!isRight) this.complaints.push(`${path}: a price of ${recent ? 'now' : 'a day'}`)
    }
  }

  /** Heads that a process had between two moments. */
  private headsConsumed(from: number, to: number): readonly (Head | null)[] {
    const heads = this.published.slice(Math.max(0, from - 1), to).map(({ head }) => head)
    return from === 0 ? [null, ...heads] : heads
  }

  /** Up to when the process had been told of a component; of figures, when the step began. */
  private publishedBy(
    { component, isThrottled }: Pick<Shown, 'component' | 'isThrottled'>,
    consumed: number,
    heads: readonly (Head | null)[],
  ): number {
    const own = groupOf(component)
    const toldUpTo = (count: number) =>
      Math.max(
        0,
        ...this.published.slice(0, count).map(({ group, at }) => (group === groupId(own) ? at : 0)),
      )
    if (isThrottled !== true) return toldUpTo(consumed)
    const steps = new Set(heads.map(windowOf).filter((step) => step !== null))
    const began = this.published.findIndex(({ head }) => steps.has(windowOf(head) ?? Number.NaN))
    return toldUpTo(began < 0 ? consumed : Math.min(consumed, began + 1))
  }

  private contentsSince(component: Component, since: number): number[] {
    const history = this.written.get(component) ?? []
    const first = history.findLastIndex(([at]) => at <= since)
    return history.slice(Math.max(0, first)).map(([, stamp]) => stamp)
  }

  private one<T>(list: readonly T[]): T {
    const found = list[Math.floor(this.random() * list.length)]
    if (found === undefined) throw new Error('nothing to choose from')
    return found
  }

  private release(): void {
    const [open] = this.gates.splice(Math.floor(this.random() * this.gates.length), 1)
    open?.()
  }

  /** A while, until the run says so. */
  private waited(): Promise<void> {
    if (this.random() < 0.5) return Promise.resolve()
    return new Promise((resolve) => this.gates.push(resolve))
  }
}

const windowOf = (head: Head | null): number | null =>
  head === null || head.time === null ? null : Math.floor(head.time / figuresStepSeconds)
