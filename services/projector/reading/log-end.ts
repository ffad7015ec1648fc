import type { EventLog } from '../../../libs/ports/event-log.ts'

interface LogEndOptions {
  readonly eventLog: EventLog
  /** The log without its retries. */
  readonly once: Pick<EventLog, 'end'>
  /** Interval of looks while nothing arrives. */
  readonly idleLookMs: number
}

/** The end of `blocks`, as far as it is known: within a life it only grows. */
export class LogEnd {
  /** Offset after the last message. */
  offset = 0
  private readonly options: LogEndOptions
  private asking: Promise<void> | null = null

  constructor(options: LogEndOptions) {
    this.options = options
  }

  async begin(): Promise<void> {
    this.offset = await this.options.eventLog.end('blocks')
  }

  /** There is a message before this offset. */
  atLeast(offset: number): void {
    this.offset = Math.max(this.offset, offset)
  }

  /** One query at a time. */
  ask(): Promise<void> {
    this.asking ??= this.options.eventLog
      .end('blocks')
      .then((end) => this.atLeast(end))
      .finally(() => {
        this.asking = null
      })
    return this.asking
  }

  /**
   * Resolves when there is a message at `offset`, or the signal aborts. The lag may grow although
   * nothing arrives: another member of the group reads it.
   */
  async waitBeyond(
    offset: number,
    { signal, onLag }: { signal: AbortSignal; onLag: (messages: number) => void },
  ): Promise<void> {
    const { eventLog, once, idleLookMs } = this.options
    let isOver = false
    let isLooking = false
    const look = async () => {
      if (isLooking) return
      isLooking = true
      // An unavailable log is reported by its reader.
      this.atLeast(await once.end('blocks').catch(() => 0))
      isLooking = false
      // An answer from before a message arrived is outdated once it is folded.
      if (!isOver) onLag(this.offset - offset)
    }
    const looking = setInterval(() => void look(), idleLookMs)
    try {
      await eventLog.waitBeyond('blocks', offset, signal)
    } finally {
      isOver = true
      clearInterval(looking)
    }
  }
}
