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
  client: string
  readonly begin: () => void
  readonly reject: (error: unknown) => void
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
 * queued task that another client joins counts as that client's where its turn comes sooner there:
 * it has to wait, or to be rejected, no more than a task of its own.
 */
export class BoundedQueue {
  private readonly options: BoundedQueueOptions
  /** By client, in the order of their turns. */
  private readonly waiting = new Map<string, Set<Waiting>>()
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
      const displaced = newestOf(this.greediest(client))
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
        client,
        begin: () => {
          leave()
          this.begun(waiting.client)
          resolve(waiting.client)
        },
        reject: (error) => {
          if (!this.isWaiting(waiting)) return
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
      this.add(waiting)
      onJoin?.((other) => this.join(waiting, other))
      this.count(0)
      this.next()
    })
  }

  private isWaiting(waiting: Waiting): boolean {
    return this.waiting.get(waiting.client)?.has(waiting) === true
  }

  /** Moves the task to the other client, if fewer tasks are before it there. */
  private join(waiting: Waiting, client: string): void {
    if (!this.isWaiting(waiting)) return
    const before = [...(this.waiting.get(waiting.client) ?? [])].indexOf(waiting)
    if ((this.waiting.get(client)?.size ?? 0) >= before) return
    this.remove(waiting)
    waiting.client = client
    this.add(waiting)
    this.next()
  }

  private add(waiting: Waiting): void {
    const { client } = waiting
    const own = this.waiting.get(client) ?? new Set()
    own.add(waiting)
    this.waiting.set(client, own)
    this.waitingCount += 1
  }

  private remove(waiting: Waiting): void {
    const own = this.waiting.get(waiting.client)
    if (own?.delete(waiting) !== true) return
    this.waitingCount -= 1
    if (own.size === 0) this.waiting.delete(waiting.client)
  }

  /** The tasks of the client with the most; null if `client` would have as many. */
  private greediest(client: string): ReadonlySet<Waiting> | null {
    let most: ReadonlySet<Waiting> = this.waiting.get(client) ?? new Set()
    const ownCount = most.size
    for (const own of this.waiting.values()) if (own.size > most.size) most = own
    return most.size > ownCount + 1 ? most : null
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
      first?.begin()
    }
  }

  private count(change: number): void {
    this.running += change
    this.options.onChange?.({ running: this.running, waiting: this.waitingCount })
  }
}

function newestOf(tasks: ReadonlySet<Waiting> | null): Waiting | null {
  let newest: Waiting | null = null
  for (const task of tasks ?? []) newest = task
  return newest
}
