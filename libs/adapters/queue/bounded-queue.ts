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
  readonly begin: () => void
}

/**
 * Runs a bounded number of tasks concurrently and queues the others, first in, first out. A task
 * beyond the bound of the queue, or queued for too long, is rejected and never runs.
 */
export class BoundedQueue {
  private readonly options: BoundedQueueOptions
  private readonly waiting = new Set<Waiting>()
  private running = 0

  constructor(options: BoundedQueueOptions) {
    this.options = options
  }

  /**
   * @param signal removes the task from the queue, with the signal's reason; a running task has to
   * observe the signal itself
   * @throws the rejection, or what the task throws
   */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    if (this.running >= this.options.runningMax) await this.queued(signal)
    else this.count(1)
    try {
      return await task()
    } finally {
      this.count(-1)
      this.next()
    }
  }

  /** Resolves once the task counts as running. */
  private queued(signal: AbortSignal | undefined): Promise<void> {
    const { waitingMax, waitMsMax, rejection } = this.options
    if (this.waiting.size >= waitingMax) {
      return Promise.reject(rejection('full', `${waitingMax} tasks are queued already`))
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', aborted)
        this.waiting.delete(waiting)
      }
      const waiting: Waiting = {
        begin: () => {
          leave()
          this.count(1)
          resolve()
        },
      }
      const rejectQueued = (error: unknown) => {
        if (!this.waiting.has(waiting)) return
        leave()
        this.count(0)
        reject(error)
      }
      const aborted = () => rejectQueued(signal?.reason)
      const late = () => rejectQueued(rejection('late', `not started within ${waitMsMax} ms`))
      // Tasks that have ended are handled first: the event loop itself may have been blocked.
      const timer = setTimeout(() => setImmediate(late), waitMsMax)
      signal?.addEventListener('abort', aborted)
      this.waiting.add(waiting)
      this.count(0)
    })
  }

  private next(): void {
    const [first] = this.waiting
    if (this.running < this.options.runningMax) first?.begin()
  }

  private count(change: number): void {
    this.running += change
    this.options.onChange?.({ running: this.running, waiting: this.waiting.size })
  }
}
