import { setImmediate as settled } from 'node:timers/promises'
import { memoryCache } from '../../../libs/adapters/memory/memory-cache.ts'
import { position } from '../../../libs/chain/position.ts'
import type { Cache } from '../../../libs/ports/cache.ts'
import type { HttpResponse } from '../../../libs/ports/http.ts'
import type { Head } from '../../../libs/presenters/known.ts'
import { type Announcement, bucketOf } from '../../../libs/topics/changes.ts'
import { namesOf } from '../../../libs/topics/families.ts'
import type { Asks } from '../asks.ts'
import { HeadOfGroups } from '../head.ts'
import { askedApi, figuresStepSeconds } from './asked-api.ts'
import { type Component, cast, clock, components, historyFrom, tablesOf } from './checked-world.ts'
import { type Seen, type SeenOfHead, seenIn, type Target, targets } from './seen.ts'

type Group = Announcement['group']
/** A number from 0 to below 1; equal seeds, equal runs. */
export type Random = () => number

const groupOfFamily: Readonly<Record<string, Group>> = {
  transfers_by_token: 'ledger',
  transactions_by_address: 'ledger',
  logs_by_address: 'ledger',
  transactions: 'ledger',
  transfers_by_transaction: 'ledger',
  logs_by_transaction: 'ledger',
  token_market: 'dimensions',
  'token_market.names': 'dimensions',
  address_labels: 'dimensions',
  instance_metadata: 'dimensions',
  prices: 'dimensions',
}
const familyOf = (component: Component) => component.slice(0, component.indexOf('|'))
const groupOf = (component: Component): Group => groupOfFamily[familyOf(component)] ?? 'state'

const targetsOfRun = 2
const chances = { everything: 0.02, hidden: 0.03, revert: 0.2, gone: 0.15, blocksBack: 0.2 }

/** What was put on `changes`. */
interface Told {
  readonly announced: Announcement | null
  readonly group: Group
  /** Nobody ever gets it. */
  readonly isLost: boolean
  /** How much had been written when it was said. */
  readonly at: number
  /** The head of one who has heard all up to here. */
  readonly head: Head | null
}

interface Listener {
  readonly api: ReturnType<typeof askedApi>
  /** Announcements heard, lost ones that it stepped over included. */
  heard: number
}

interface Asked {
  readonly target: Target
  readonly listener: Listener
  readonly heard: number
  readonly answer: Promise<HttpResponse>
}

/** What a run is about; all of it, if nothing is said. */
export interface About {
  readonly isAsked?: (path: string) => boolean
  readonly isMoving?: (component: Component) => boolean
}

/** One run: tables that change, projectors that tell, two processes that answer. */
export class Checker {
  readonly complaints: string[] = []
  answered = 0
  private readonly random: Random
  /** Every content of every component, with the time from which it stood. */
  private readonly written = new Map<Component, (readonly [at: number, stamp: number])[]>()
  private readonly told: Told[] = []
  private readonly oracle = new HeadOfGroups()
  private readonly listeners: readonly Listener[]
  private readonly gates: (() => void)[] = []
  private readonly asked = new Set<Asked>()
  private readonly positions: Record<Group, number> = { ledger: 0, state: 0, dimensions: 0 }
  /** Components written and not yet announced. */
  private readonly unsaid: Record<Group, Component[]> = { ledger: [], state: [], dimensions: [] }
  /** What answers have shown: what moves besides would tell nothing. */
  private readonly shown = new Set<Component>()
  private readonly moving: readonly Component[]
  private readonly targets: readonly Target[]
  private at = 0
  private block = clock.firstBlock

  constructor(random: Random, { isAsked, isMoving }: About = {}) {
    this.random = random
    const asked = targets.filter(({ path }) => isAsked?.(path) ?? true)
    this.moving = components.filter((component) => isMoving?.(component) ?? true)
    for (const component of components) this.written.set(component, [[0, 1]])
    // Few questions, each of them asked often.
    this.targets = Array.from({ length: targetsOfRun }, () => this.one(asked))
    const asks = this.late(tablesOf((component) => this.contentOf(component)))
    const cache = this.lateCache(memoryCache({ bytesMax: 10_000_000 }))
    const limits = { cache, requestsInFlightMax: 1_000 }
    this.listeners = [1, 2].map(() => ({ api: askedApi(asks, limits), heard: 0 }))
  }

  async run(steps: number): Promise<void> {
    for (const group of ['ledger', 'state'] as const) this.tell(group)
    for (let step = 0; step < steps; step++) {
      this.step()
      await settled()
    }
    while (this.asked.size > 0) {
      this.release()
      await settled()
    }
  }

  private step(): void {
    const dice = this.random()
    if (dice < 0.06) this.write(this.one(this.worthMoving))
    else if (dice < 0.12) this.tell(this.one(['ledger', 'state', 'dimensions']))
    else if (dice < 0.27) this.deliver(this.one(this.listeners))
    else if (dice < 0.6) this.ask(this.one(this.listeners), this.one(this.targets))
    else this.release()
  }

  private get worthMoving(): readonly Component[] {
    const shown = this.moving.filter((component) => this.shown.has(component))
    return shown.length > 0 ? shown : this.moving
  }

  /** A new content, or one that stood before: a block that is reverted. */
  private write(component: Component): void {
    const history = this.written.get(component) ?? []
    const isRevert = this.random() < chances.revert
    const isGone = this.random() < chances.gone
    const [, before] = this.one(history)
    const fresh = isGone ? 0 : history.length + 1
    let stamp = isRevert ? before : fresh
    // See `seenIn`: what the filter leaves out is told by the token alone.
    if (component === `transfers_by_transaction|${cast.transactions[1]}`)
      stamp = history.length * 2 + 1
    history.push([++this.at, stamp])
    this.unsaid[groupOf(component)].push(component)
  }

  private contentOf(component: Component): number {
    return this.written.get(component)?.at(-1)?.[1] ?? 0
  }

  private tell(group: Group): void {
    const components = this.unsaid[group].splice(0)
    const after = position(this.positions[group])
    this.positions[group] += 1 + Math.floor(this.random() * 3)
    if (group === 'ledger')
      this.block += this.random() < chances.blocksBack ? -2 : 1 + Math.floor(this.random() * 2)
    const isOfChain = group !== 'dimensions'
    const time = isOfChain
      ? clock.first + (this.block - clock.firstBlock) * clock.blockSeconds
      : null
    const block = isOfChain ? this.block : null
    const moved = this.random() < chances.everything ? 'everything' : movedBy(components)
    const announced = { group, after, position: position(this.positions[group]), block, time }
    const isHidden = this.told.length > 4 && this.random() < chances.hidden
    const isLost = isHidden && this.random() < 0.5
    const isRead = !isHidden
    if (isRead) this.oracle.hear(announced)
    this.told.push({
      announced: isRead ? { ...announced, hash: null, moved } : null,
      group,
      isLost,
      at: ++this.at,
      head: this.oracle.head,
    })
  }

  private deliver(listener: Listener): void {
    const next = this.told.findIndex((told, at) => at >= listener.heard && !told.isLost)
    if (next < 0) return
    listener.api.heard(next, this.told[next]?.announced ?? null)
    listener.heard = next + 1
  }

  private ask(listener: Listener, target: Target): void {
    // Headers of its own: the shape is not what is looked at here.
    const answer = listener.api.ask(target.path, { headers: { accept: '*/*' } })
    const asked = { target, listener, heard: listener.heard, answer }
    this.asked.add(asked)
    answer.then(
      (response) => this.judge(asked, response),
      (error) => this.complaints.push(String(error)),
    )
  }

  private judge(asked: Asked, response: HttpResponse): void {
    this.asked.delete(asked)
    this.answered++
    const { target, listener, heard } = asked
    const { seen, ofHead } = seenIn(target, response)
    const heads = this.headsHeard(heard, listener.heard)
    for (const one of seen) {
      this.shown.add(one.component)
      const since = this.toldBy(one, heard, heads)
      if (this.contentsSince(one.component, since).some((stamp) => one.agrees(stamp))) continue
      const may = this.contentsSince(one.component, since).join()
      this.complaints.push(`${target.path} says ${one.says} of ${one.component}: it was ${may}`)
    }
    this.judgeHead(target, ofHead, { heads, heard })
  }

  private judgeHead(
    { path }: Target,
    { confirmations, isRecent }: SeenOfHead,
    { heads, heard }: { heads: readonly (Head | null)[]; heard: number },
  ): void {
    const right = heads.map((head) => Math.max(1, (head?.block ?? 0) - (clock.firstBlock - 5) + 1))
    for (const shown of confirmations) {
      if (!right.includes(shown))
        this.complaints.push(`${path}: ${shown} confirmations, not ${right}`)
    }
    const price = `prices|${new Date((historyFrom - 86_400) * 1_000).toISOString().slice(0, 10)}`
    const since = this.toldBy({ component: price }, heard, heads)
    const isNoPrice = this.contentsSince(price, since).includes(0)
    for (const recent of isRecent) {
      if (recent && isNoPrice) continue
      const isRight = heads.some((head) => (head?.time ?? 0) < historyFrom === recent)
      if (!isRight) this.complaints.push(`${path}: a price of ${recent ? 'now' : 'a day'}`)
    }
  }

  /** Heads that a process had between two moments. */
  private headsHeard(from: number, to: number): readonly (Head | null)[] {
    const heads = this.told.slice(Math.max(0, from - 1), to).map(({ head }) => head)
    return from === 0 ? [null, ...heads] : heads
  }

  /** Up to when the process had been told of a component; of figures, when the step began. */
  private toldBy(
    { component, isFigure }: Pick<Seen, 'component' | 'isFigure'>,
    heard: number,
    heads: readonly (Head | null)[],
  ): number {
    const toldUpTo = (count: number) =>
      this.told.slice(0, count).findLast((one) => one.group === groupOf(component))?.at ?? 0
    if (isFigure !== true) return toldUpTo(heard)
    const steps = new Set(heads.map(stepOf).filter((step) => step !== null))
    const began = this.told.findIndex(({ head }) => steps.has(stepOf(head) ?? Number.NaN))
    return toldUpTo(began < 0 ? heard : Math.min(heard, began + 1))
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

  /** Tables that answer late, by what they held in between. */
  private late(asks: Asks): Asks {
    const entries = Object.entries(asks).map(([name, ask]) => [
      name,
      async (...asked: unknown[]) => {
        await this.waited()
        const rows = await Reflect.apply(ask, undefined, asked)
        await this.waited()
        return rows
      },
    ])
    return { ...asks, ...Object.fromEntries(entries) }
  }

  private lateCache(cache: Cache): Cache {
    return {
      ...cache,
      get: async (keys) => {
        await this.waited()
        const entries = await cache.get(keys)
        await this.waited()
        return entries
      },
      set: async (writes) => {
        await this.waited()
        await cache.set(writes)
      },
    }
  }
}

const stepOf = (head: Head | null): number | null =>
  head === null || head.time === null ? null : Math.floor(head.time / figuresStepSeconds)

/** As projectors tell it: names with the whole row, figures alone. */
function movedBy(components: readonly Component[]): Record<string, number[]> {
  const moved: Record<string, number[]> = {}
  for (const component of components) {
    const family = familyOf(component)
    const bucket = bucketOf(component.slice(family.length + 1))
    const table = family.replace(/\.names$/, '')
    const families = family === table ? [table] : [table, namesOf(table)]
    for (const name of families) moved[name] = [...(moved[name] ?? []), bucket]
  }
  return moved
}
