/** A value that is read from elsewhere, and what became of the last read. */
export interface LastRead<T> {
  readonly value: T | null
  /** Null if the last read, if any, succeeded. */
  readonly failure: unknown
}

interface ReadOptions<T> {
  readonly read: (signal: AbortSignal) => Promise<T>
  readonly everyMs: number
  /** Of one read. */
  readonly deadlineMs: number
  /** In ms, of a clock that only advances. */
  readonly now?: () => number
}

/**
 * Reads a value when it is asked for, at most every so often and one read at a time. Whoever asks
 * gets the last one at once.
 */
export class ReadAtMost<T> {
  private readonly options: ReadOptions<T>
  private readonly now: () => number
  private last: LastRead<T> = { value: null, failure: null }
  private begunAt = Number.NEGATIVE_INFINITY
  private isReading = false

  constructor(options: ReadOptions<T>) {
    this.options = options
    this.now = options.now ?? (() => performance.now())
  }

  get latest(): LastRead<T> {
    const { everyMs } = this.options
    if (!this.isReading && this.now() - this.begunAt >= everyMs) void this.read()
    return this.last
  }

  /** Never rejects. The value before stays where a read fails. */
  private async read(): Promise<void> {
    this.isReading = true
    this.begunAt = this.now()
    const { read, deadlineMs } = this.options
    try {
      this.last = { value: await read(AbortSignal.timeout(deadlineMs)), failure: null }
    } catch (failure) {
      this.last = { value: this.last.value, failure }
    } finally {
      this.isReading = false
    }
  }
}
