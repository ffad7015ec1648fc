interface BoundedQueueOptions {
  /** Concurrent tasks. */
  readonly runningMax: number
  /** Queued tasks; further ones are rejected immediately. */
  readonly waitingMax: number
  /** Longest time in the queue; then the task is rejected. */
  readonly waitMsMax: number
  /** The error of a rejected task: the queue was full, or the task was queued for too long. */
  readonly rejection: (kind: 'full' | 'late', sentence: string) => Error
  /** Called whenever one of the counts changes. */
  readonly onChange?: ((counts: QueueCounts) => void) | undefined
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
 * Runs a bounded number of tasks concurrently and queues the others: those of a client first in,
 * first out, those of different clients in turn. A task beyond the bound of the queue, or queued
 * for too long, is rejected and never runs; a full queue rejects the newest task of the client with
 * the most, so that no client can fill it alone. A queued task that another client joins counts as
 * that client's where its turn comes sooner there: it has to wait, or to be rejected, no more than
 * a task of its own.
 */
export class BoundedQueue {
  private readonly options: BoundedQueueOptions
  /** By client, in the order of their turns. */
  private readonly waiting = new Map<string, Set<Waiting>>()
  private waitingCount = 0
  private running = 0

  constructor(options: BoundedQueueOptions) {
    this.options = options
  }

  /** @throws the rejection, or what the task throws */
  async run<T>(task: () => Promise<T>, options: TaskOptions = {}): Promise<T> {
    options.signal?.throwIfAborted()
    if (this.running >= this.options.runningMax) await this.queued(options)
    else this.count(1)
    try {
      return await task()
    } finally {
      this.count(-1)
      this.next()
    }
  }

  /** Resolves once the task counts as running. */
  private queued({ client = '', signal, onJoin }: TaskOptions): Promise<void> {
    const { waitingMax, waitMsMax, rejection } = this.options
    if (this.waitingCount >= waitingMax) {
      const full = () => rejection('full', `${waitingMax} tasks are queued already`)
      const displaced = this.newestOfGreediest(client)
      if (displaced === null) return Promise.reject(full())
      displaced.reject(full())
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
          this.count(1)
          resolve()
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

  /** The newest task of the client with the most; null if `client` would have as many. */
  private newestOfGreediest(client: string): Waiting | null {
    let most = this.waiting.get(client) ?? new Set<Waiting>()
    const ownCount = most.size
    for (const own of this.waiting.values()) if (own.size > most.size) most = own
    return most.size > ownCount + 1 ? ([...most].at(-1) ?? null) : null
  }

  /** Begins a task of the client whose turn it is, who is the last one from then on. */
  private next(): void {
    if (this.running >= this.options.runningMax) return
    const [turn] = this.waiting
    if (turn === undefined) return
    const [client, own] = turn
    this.waiting.delete(client)
    this.waiting.set(client, own)
    const [first] = own
    first?.begin()
  }

  private count(change: number): void {
    this.running += change
    this.options.onChange?.({ running: this.running, waiting: this.waitingCount })
  }
}
