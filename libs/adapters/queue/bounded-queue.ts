export interface BoundedQueueOptions {
  /** Tasks that run at once. */
  readonly runningMax: number
  /** Tasks that wait for their turn; the next one is refused at once. */
  readonly waitingMax: number
  /** How long a task waits for its turn; then it is refused. */
  readonly waitMsMax: number
  /** The error of a task that is refused: the queue is full, or its turn comes too late. */
  readonly refusal: (kind: 'full' | 'late', sentence: string) => Error
  /** Called whenever one of the counts has changed. */
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
 * Runs so many tasks at once, the others in the order in which they came. What would wait behind
 * too many, or waits for too long, is refused and never runs: a queue without end serves nobody.
 */
export class BoundedQueue {
  private readonly options: BoundedQueueOptions
  private readonly waiting = new Set<Waiting>()
  private running = 0

  constructor(options: BoundedQueueOptions) {
    this.options = options
  }

  /**
   * @param signal takes the task out of the queue, with the signal's reason; a task that runs has
   * to look at it itself
   * @throws the refusal, or what the task throws
   */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    if (this.running >= this.options.runningMax) await this.turn(signal)
    else this.count(1)
    try {
      return await task()
    } finally {
      this.count(-1)
      this.next()
    }
  }

  /** Resolves once the task counts as running. */
  private turn(signal: AbortSignal | undefined): Promise<void> {
    const { waitingMax, waitMsMax, refusal } = this.options
    if (this.waiting.size >= waitingMax) {
      return Promise.reject(refusal('full', `${waitingMax} wait for their turn already`))
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
      const giveUp = (error: unknown) => {
        if (!this.waiting.has(waiting)) return
        leave()
        this.count(0)
        reject(error)
      }
      const aborted = () => giveUp(signal?.reason)
      const late = () => giveUp(refusal('late', `no turn within ${waitMsMax} ms`))
      // What has ended meanwhile is noticed first: this process itself may have been busy.
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
