import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testSeed as seed } from '../../test/support/seed.ts'
import { BoundedQueue, type OnJoin } from './bounded-queue.ts'
import { periodMs } from './client-shares.ts'

interface Bounds {
  readonly runningMax: number
  readonly ownMin: number
  readonly unsharedMax: number
  readonly waitingMax: number
}

interface Task {
  readonly id: number
  readonly end: () => void
  readonly leave: () => void
  readonly join: (client: string) => void
}

type Outcome = `${'begins' | 'full' | 'left'} ${number}`

class Full extends Error {}

/** The real queue, driven step by step; tasks run until they are ended. */
function drivenQueue(bounds: Bounds) {
  const outcomes: Outcome[] = []
  const rejection = () => new Full()
  let time = 0
  const now = () => time
  const queue = new BoundedQueue({ ...bounds, waitMsMax: 3_600_000, rejection, now })
  const tasks: Task[] = []
  const run = (client: string): Task => {
    const id = tasks.length
    const leaving = new AbortController()
    let end = () => {}
    let joined = (_: string) => {}
    const onJoin: OnJoin = (listener) => {
      joined = listener
    }
    const work = () => {
      outcomes.push(`begins ${id}`)
      return new Promise<void>((resolve) => {
        end = resolve
      })
    }
    queue
      .run(work, { client, signal: leaving.signal, onJoin })
      .catch((error) => outcomes.push(`${error instanceof Full ? 'full' : 'left'} ${id}`))
    const join = (other: string) => joined(other)
    const task = { id, end: () => end(), leave: () => leaving.abort(new Error('left')), join }
    tasks.push(task)
    return task
  }
  const endAll = async () => {
    for (const { leave } of tasks) leave()
    await settled()
    for (const { end } of tasks) end()
    await settled()
  }
  const pass = (ms: number) => {
    time += ms
  }
  const isRefused = (client: string) => queue.refusal(client) !== null
  return { run, isRefused, tasks, outcomes, endAll, pass }
}

/**
 * In the order of each kind: of what one step causes, a rejection is seen some microtasks later
 * than a beginning, whichever came first.
 */
function byKind(outcomes: readonly Outcome[]) {
  const isBeginning = (outcome: Outcome) => outcome.startsWith('begins')
  return {
    begun: outcomes.filter(isBeginning),
    rejected: outcomes.filter((outcome) => !isBeginning(outcome)),
  }
}

/** Until what follows from a step has happened: the queue needs a few microtasks. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) await null
}

interface Begun {
  readonly id: number
  /** In whose turn. */
  readonly client: string
}

/** When a client asked for a task. */
interface Seen {
  readonly client: string
  readonly period: number
}

/** The same rules on plain lists, looked through from the beginning each time. */
class NaiveQueue {
  readonly outcomes: Outcome[] = []
  running: Begun[] = []
  time = 0
  queued: { readonly id: number }[] = []
  /** A line for each client that waits for a task, in its order. */
  private waits: Begun[] = []
  /** Clients with queued tasks; the first one's turn is next. */
  private turns: string[] = []
  private readonly seen: Seen[] = []
  private readonly bounds: Bounds

  constructor(bounds: Bounds) {
    this.bounds = bounds
  }

  run(id: number, client: string): void {
    this.seen.push({ client, period: this.period() })
    if (this.hasRoom(client) && !this.turns.includes(client)) {
      this.begin({ id, client })
      return
    }
    if (this.queued.length >= this.bounds.waitingMax) {
      const most = Math.max(...this.queued.map((each) => this.least(each.id)))
      const displaced = this.queued.findLast((each) => this.least(each.id) === most)
      const isFair = most > this.of(client).length + 1
      if (displaced === undefined || !isFair) {
        this.outcomes.push(`full ${id}`)
        return
      }
      this.outcomes.push(`full ${displaced.id}`)
      this.drop(displaced.id)
    }
    this.queued.push({ id })
    this.add({ id, client })
    this.next()
  }

  end(id: number): void {
    this.running = this.running.filter((each) => each.id !== id)
    this.next()
  }

  private period = () => Math.floor(this.time / periodMs)

  private hasRoom(client: string): boolean {
    const { runningMax, ownMin, unsharedMax } = this.bounds
    const isActive = ({ period }: Seen) => period >= this.period() - 1
    const active = new Set(this.seen.filter(isActive).map((each) => each.client))
    const share = Math.max(ownMin, Math.floor(runningMax / Math.max(1, active.size)))
    const own = this.running.filter((each) => each.client === client)
    const isUnshared = this.running.length < unsharedMax
    return this.running.length < runningMax && (isUnshared || own.length < share)
  }

  private next(): void {
    const client = this.turns.find((name) => this.hasRoom(name))
    if (client === undefined) return
    this.turns = [...this.turns.filter((name) => name !== client), client]
    const [first] = this.of(client)
    if (first === undefined) return
    this.drop(first.id)
    this.begin({ id: first.id, client })
    this.next()
  }

  leave(id: number): void {
    if (this.drop(id) !== undefined) this.outcomes.push(`left ${id}`)
  }

  join(id: number, client: string): void {
    const isQueued = this.queued.some((each) => each.id === id)
    const clients = this.waits.filter((each) => each.id === id).map((each) => each.client)
    if (!isQueued || clients.includes(client) || clients.length >= 4) return
    this.add({ id, client })
    this.next()
  }

  private of = (client: string) => this.waits.filter((each) => each.client === client)

  /** Of the tasks of each of its clients. */
  private least = (id: number) =>
    Math.min(
      ...this.waits.filter((each) => each.id === id).map((each) => this.of(each.client).length),
    )

  private begin(task: Begun): void {
    this.running.push(task)
    this.outcomes.push(`begins ${task.id}`)
  }

  private add(task: Begun): void {
    this.waits.push(task)
    if (!this.turns.includes(task.client)) this.turns.push(task.client)
  }

  private drop(id: number): { readonly id: number } | undefined {
    const task = this.queued.find((each) => each.id === id)
    this.queued = this.queued.filter((each) => each !== task)
    this.waits = this.waits.filter((each) => each.id !== id)
    this.turns = this.turns.filter((name) => this.of(name).length > 0)
    return task
  }
}

const bounds = fc.record({
  runningMax: fc.integer({ min: 1, max: 6 }),
  ownMin: fc.integer({ min: 1, max: 6 }),
  unsharedMax: fc.integer({ min: 0, max: 4 }),
  waitingMax: fc.integer({ min: 0, max: 12 }),
})
const client = fc.constantFrom('a', 'a', 'a', 'a', 'b', 'b', 'c', 'd')
const step = fc.record({
  kind: fc.constantFrom('run', 'run', 'run', 'end', 'leave', 'join', 'pass'),
  client,
  /** Of the tasks that the step may be about. */
  which: fc.nat(),
})

/**
 * A seed that failed once: when the share of a client grew because others had gone, the next task
 * displaced one of its queued tasks and let another one begin, in one step.
 */
const seeds = [148_159_144, seed]

describe('a queue of several clients', () => {
  it.each(seeds)('begins, displaces and rejects as plain lists do (seed %i)', async (start) => {
    const history = fc.array(step, { maxLength: 80, size: 'max' })
    const property = fc.asyncProperty(bounds, history, async (of, steps) => {
      const real = drivenQueue(of)
      const naive = new NaiveQueue(of)
      for (const { kind, client: by, which } of steps) {
        if (kind === 'pass') {
          const ms = (1 + (which % 3)) * (periodMs / 2)
          real.pass(ms)
          naive.time += ms
          continue
        }
        const ids = (kind === 'end' ? naive.running : naive.queued).map(({ id }) => id)
        const id = kind === 'run' ? real.tasks.length : ids[which % ids.length]
        if (id === undefined) continue
        const isRefused = kind === 'run' && real.isRefused(by)
        if (kind === 'run') real.run(by)
        else if (kind === 'join') real.tasks[id]?.join(by)
        else real.tasks[id]?.[kind]()
        if (kind === 'run' || kind === 'join') naive[kind](id, by)
        else naive[kind](id)
        await settled()
        expect(byKind(real.outcomes)).toEqual(byKind(naive.outcomes))
        if (kind === 'run') expect(real.outcomes.includes(`full ${id}`)).toBe(isRefused)
      }
      await real.endAll()
    })
    await fc.assert(property, { seed: start, numRuns: 150 })
  })

  it(`rejects nothing that a polite client waits for, nor delays it (seed ${seed})`, async () => {
    const of = { runningMax: 2, ownMin: 2, unsharedMax: 0, waitingMax: 24 }
    const greedy = ['a', 'b', 'c']
    /** Less than a fourth of the queue, as there are four clients. */
    const politeMax = 4
    const turnsMax = politeMax * (greedy.length + 1)
    const own = fc.record({ kind: fc.constantFrom('own', 'joined'), which: fc.nat() })
    /** Greedy clients join tasks of the polite one, too. */
    const kinds = fc.constantFrom('scan', 'scan', 'follow', 'end')
    const scan = fc.record({ kind: kinds, which: fc.nat() })
    const history = fc.array(fc.oneof({ weight: 6, arbitrary: scan }, own), {
      maxLength: 200,
      size: 'max',
    })
    const property = fc.asyncProperty(history, async (steps) => {
      const real = drivenQueue(of)
      /** By task of the polite client, how many had begun when it came. */
      const wanted = new Map<number, number>()
      const ended = new Set<number>()
      const begun = () => real.outcomes.flatMap((text) => /^begins (\d+)/.exec(text)?.[1] ?? [])
      const waits = (id: number) => !real.outcomes.some((text) => text.endsWith(` ${id}`))
      for (const { kind, which } of steps) {
        const begunIds = begun().map(Number)
        const running = begunIds.filter((id) => !ended.has(id))
        const queued = real.tasks.filter(({ id }) => waits(id))
        const mayAsk = [...wanted.keys()].filter(waits).length < politeMax
        const by = greedy[which % greedy.length] ?? ''
        if (kind === 'scan') real.run(by)
        else if (kind === 'follow') queued[which % queued.length]?.join(by)
        else if (kind === 'end') {
          const id = running[which % running.length] ?? -1
          ended.add(id)
          real.tasks[id]?.end()
        } else if (mayAsk && kind === 'own') wanted.set(real.run('polite').id, begun().length)
        else if (mayAsk && queued.length > 0) {
          const task = queued[which % queued.length]
          task?.join('polite')
          if (task !== undefined) wanted.set(task.id, wanted.get(task.id) ?? begun().length)
        }
        await settled()
        for (const [id, since] of wanted) {
          expect(real.outcomes).not.toContain(`full ${id}`)
          if (waits(id)) expect(begun().length - since).toBeLessThan(turnsMax)
        }
      }
      await real.endAll()
    })
    await fc.assert(property, { seed, numRuns: 40 })
  })
})
