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

/** Clients whose turns one task may begin in; further ones wait for it without a turn of theirs. */
const clientsPerTaskMax = 4

interface Heaviest {
  /** Null: nothing waits. */
  readonly task: Waiting | null
  /** Tasks that each of its clients waits for, at least. */
  readonly count: number
}

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
 * queued task that further clients join begins in the first turn of any of them, and counts as a
 * task of the one with the fewest where a task has to be rejected.
 */
export class BoundedQueue {
  private readonly options: BoundedQueueOptions
  /** By client, in the order of their turns; a task may wait for the turns of several. */
  private readonly waiting = new Map<string, Set<Waiting>>()
  /** All of them, the oldest first. */
  private readonly tasks = new Set<Waiting>()
  private readonly shares: ClientShares
  /** The first to be rejected; null: not known. */
  private heaviest: Heaviest | null = null
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
    if (!this.isFull || this.mayBegin(client) || this.displaceable(client) !== null) return null
    return this.full()
  }

  /** Whether a further task is queued only in the place of another one. */
  get isFull(): boolean {
    return this.tasks.size >= this.options.waitingMax
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
    if (this.tasks.size >= waitingMax) {
      const displaced = this.displaceable(client)
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
      this.tasks.add(waiting)
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
    waiting.clients.add(client)
    const own = this.waiting.get(client) ?? new Set()
    own.add(waiting)
    this.waiting.set(client, own)
    this.heaviest = null
  }

  private remove(waiting: Waiting): void {
    for (const client of waiting.clients) {
      const own = this.waiting.get(client)
      own?.delete(waiting)
      if (own?.size === 0) this.waiting.delete(client)
    }
    waiting.clients.clear()
    this.tasks.delete(waiting)
    this.heaviest = null
  }

  /** What a task of the client may displace; null if the client would then have the most. */
  private displaceable(client: string): Waiting | null {
    this.heaviest ??= this.findHeaviest()
    const { task, count } = this.heaviest
    return count > this.countOf(client) + 1 ? task : null
  }

  /** The newest of the tasks each of whose clients has the most. */
  private findHeaviest(): Heaviest {
    let heaviest: Heaviest = { task: null, count: 0 }
    for (const task of this.tasks) {
      let count = Number.POSITIVE_INFINITY
      for (const client of task.clients) count = Math.min(count, this.countOf(client))
      if (count >= heaviest.count) heaviest = { task, count }
    }
    return heaviest
  }

  private countOf(client: string): number {
    return this.waiting.get(client)?.size ?? 0
  }

  /** Begins tasks, in the turns of their clients, as long as one may begin. */
  private next(): void {
    for (const [client, own] of this.waiting) {
      if (this.running >= this.options.runningMax) return
      if (!this.hasRoom(client)) continue
      // The last one in turn from then on: this loop comes to it again.
      this.waiting.delete(client)
      this.waiting.set(client, own)
      const [first] = own
      first?.begin(client)
    }
  }

  private count(change: number): void {
    this.running += change
    this.options.onChange?.({ running: this.running, waiting: this.tasks.size })
  }
}
