import { ClientShares } from './client-shares.ts'

interface BoundedQueueOptions {
  /** Concurrent tasks. */
  readonly runningMax: number
  /**
   * Concurrent tasks that each client may have; more only as its equal share of `runningMax` among
   * the active ones. Not bounded by client by default.
   */
  readonly ownMin?: number | undefined
  /** Tasks of all clients that may run before the shares count: slots that nobody else needs. */
  readonly unsharedMax?: number | undefined
  /** Queued tasks; further ones are rejected immediately. */
  readonly waitingMax: number
  /** Longest time in the queue; then the task is rejected. */
  readonly waitMsMax: number
  /** The error of a rejected task: the queue was full, or the task was queued for too long. */
  readonly rejection: (kind: 'full' | 'late', sentence: string) => Error
  /** Called whenever one of the counts changes. */
  readonly onChange?: ((counts: QueueCounts) => void) | undefined
  /** Milliseconds of a clock that never goes backward. */
  readonly now?: () => number
}

export interface QueueCounts {
  readonly running: number
  readonly waiting: number
}

interface Waiting {
  /** Who waits for it. */
  readonly clients: Set<string>
  /** In the turn of one of them. */
  readonly begin: (client: string) => void
  readonly reject: (error: unknown) => void
}

/** What a client waits for, in its order. */
interface Lane {
  readonly tasks: Set<Waiting>
  /** Those that no other client waits for. */
  soleCount: number
}

/** Clients whose turns one task may begin in; further ones wait for it without a turn of theirs. */
const clientsPerTaskMax = 64

interface TaskOptions {
  /**
   * Removes the task from the queue, with the signal's reason; a running task has to observe the
   * signal itself.
   */
  readonly signal?: AbortSignal | undefined
  /** Whose task it is: queued tasks of different clients begin in turn. One client by default. */
  readonly client?: string | undefined
  /** Registers a listener for further clients that wait for this task. */
  readonly onJoin?: OnJoin | undefined
}

export type OnJoin = (listener: (client: string) => void) => void

/**
 * Runs a bounded number of tasks concurrently, of each client no more than its share, and queues
 * the others: those of a client first in, first out, those of different clients in turn. A task
 * beyond the bound of the queue, or queued for too long, is rejected and never runs; a full queue
 * rejects the newest task of the client with the most, so that no client can fill it alone. A
 * queued task that further clients join begins in the first turn of any of them, and is rejected
 * for none of the others.
 */
export class BoundedQueue {
  private readonly options: BoundedQueueOptions
  /** By client, in the order of their turns. */
  private readonly waiting = new Map<string, Lane>()
  private readonly shares: ClientShares
  private waitingCount = 0
  private running = 0

  constructor(options: BoundedQueueOptions) {
    this.options = options
    const { runningMax, ownMin = runningMax, now = () => performance.now() } = options
    this.shares = new ClientShares({ runningMax, ownMin, now })
  }

  /** @throws the rejection, or what the task throws */
  async run<T>(task: () => Promise<T>, options: TaskOptions = {}): Promise<T> {
    options.signal?.throwIfAborted()
    const client = options.client ?? ''
    this.shares.saw(client)
    const mayBegin = this.mayBegin(client)
    if (mayBegin) this.begun(client)
    const counted = mayBegin ? client : await this.queued(client, options)
    try {
      return await task()
    } finally {
      this.shares.ended(counted)
      this.count(-1)
      this.next()
    }
  }

  /**
   * The rejection of a task that would neither run nor be queued now; else null. For callers that
   * prepare something before they run one.
   */
  refusal(client = ''): Error | null {
    this.shares.saw(client)
    if (!this.isFull || this.mayBegin(client) || this.greediest(client) !== null) return null
    return this.full()
  }

  /** Whether a further task is queued only in the place of another one. */
  get isFull(): boolean {
    return this.waitingCount >= this.options.waitingMax
  }

  private full(): Error {
    const { rejection, waitingMax } = this.options
    return rejection('full', `${waitingMax} tasks are queued already`)
  }

  private mayBegin(client: string): boolean {
    return !this.waiting.has(client) && this.hasRoom(client)
  }

  private hasRoom(client: string): boolean {
    const { runningMax, unsharedMax = 0 } = this.options
    if (this.running >= runningMax) return false
    return this.running < unsharedMax || this.shares.hasRoom(client)
  }

  private begun(client: string): void {
    this.shares.began(client)
    this.count(1)
  }

  /** @returns whose task it is by then, once it counts as running */
  private queued(client: string, { signal, onJoin }: TaskOptions): Promise<string> {
    const { waitingMax, waitMsMax, rejection } = this.options
    if (this.waitingCount >= waitingMax) {
      const displaced = newestSoleOf(this.greediest(client))
      if (displaced === null) return Promise.reject(this.full())
      displaced.reject(this.full())
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', aborted)
        this.remove(waiting)
      }
      const waiting: Waiting = {
        clients: new Set(),
        begin: (by) => {
          leave()
          this.begun(by)
          resolve(by)
        },
        reject: (error) => {
          if (waiting.clients.size === 0) return
          leave()
          this.count(0)
          reject(error)
        },
      }
      const aborted = () => waiting.reject(signal?.reason)
      const late = () => waiting.reject(rejection('late', `not started within ${waitMsMax} ms`))
      // Tasks that have ended are handled first: the event loop itself may have been blocked.
      const timer = setTimeout(() => setImmediate(late), waitMsMax)
      signal?.addEventListener('abort', aborted)
      this.waitingCount += 1
      this.add(waiting, client)
      onJoin?.((other) => this.join(waiting, other))
      this.count(0)
      this.next()
    })
  }

  private join(waiting: Waiting, client: string): void {
    const { clients } = waiting
    if (clients.size === 0 || clients.has(client) || clients.size >= clientsPerTaskMax) return
    this.add(waiting, client)
    this.next()
  }

  private add(waiting: Waiting, client: string): void {
    this.countSole(waiting, -1)
    waiting.clients.add(client)
    const lane = this.waiting.get(client) ?? { tasks: new Set(), soleCount: 0 }
    lane.tasks.add(waiting)
    this.waiting.set(client, lane)
    this.countSole(waiting, 1)
  }

  private remove(waiting: Waiting): void {
    this.countSole(waiting, -1)
    for (const client of waiting.clients) {
      const lane = this.waiting.get(client)
      lane?.tasks.delete(waiting)
      if (lane?.tasks.size === 0) this.waiting.delete(client)
    }
    waiting.clients.clear()
    this.waitingCount -= 1
  }

  private countSole({ clients }: Waiting, change: number): void {
    const [only] = clients
    const lane = only === undefined || clients.size > 1 ? undefined : this.waiting.get(only)
    if (lane !== undefined) lane.soleCount += change
  }

  /**
   * What the client waits for that alone waits for the most tasks; null if `client` would alone
   * wait for as many.
   */
  private greediest(client: string): Lane | null {
    const ownCount = this.waiting.get(client)?.soleCount ?? 0
    let most: Lane | null = null
    for (const lane of this.waiting.values()) {
      if (lane.soleCount > (most?.soleCount ?? ownCount + 1)) most = lane
    }
    return most
  }

  /** Begins tasks, in the turns of their clients, as long as one may begin. */
  private next(): void {
    for (const [client, lane] of this.waiting) {
      if (this.running >= this.options.runningMax) return
      if (!this.hasRoom(client)) continue
      // The last one in turn from then on: this loop comes to it again.
      this.waiting.delete(client)
      this.waiting.set(client, lane)
      const [first] = lane.tasks
      first?.begin(client)
    }
  }

  private count(change: number): void {
    this.running += change
    this.options.onChange?.({ running: this.running, waiting: this.waitingCount })
  }
}

function newestSoleOf(lane: Lane | null): Waiting | null {
  let newest: Waiting | null = null
  for (const task of lane?.tasks ?? []) if (task.clients.size === 1) newest = task
  return newest
}
