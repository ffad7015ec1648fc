import type { StateRef } from '../../../libs/ports/chain-source.ts'
import { type EventLog, LogUnavailable, OffsetLost } from '../../../libs/ports/event-log.ts'
import { atMostEvery, warnEveryMs } from '../../../libs/signals/at-most-every.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { pause } from '../../../libs/signals/pause.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { decodeMessage } from '../../../libs/topics/codec.ts'
import { namedHolder } from '../../../libs/topics/holders.ts'

const topic = 'holders'
/** Pairs that are read ahead of the blocks that take them. */
const aheadMax = 2_000
const readLimit = { messagesMax: 1_000, bytesMax: 1024 * 1024 }

interface HolderReaderParts {
  readonly eventLog: EventLog
  readonly log: Log
  /** Until the log is asked again. */
  readonly retryMs: number
}

/** Pairs that were named, and where reading continues after them. */
export interface NamedPairs {
  readonly pairs: readonly StateRef[]
  readonly offset: number
}

/** Reads topic `holders` beside the blocks: none waits for it. */
export class HolderReader {
  readonly #parts: HolderReaderParts
  readonly #isWarningDue = atMostEvery(warnEveryMs)
  #pairs: StateRef[] = []
  #offset: number
  #takenTo: number

  /** @param offset of the next message */
  constructor(parts: HolderReaderParts, offset: number) {
    this.#parts = parts
    this.#offset = offset
    this.#takenTo = offset
  }

  /** What was read since; null for nothing. */
  take(): NamedPairs | null {
    if (this.#offset === this.#takenTo) return null
    const taken = { pairs: this.#pairs, offset: this.#offset }
    this.#pairs = []
    this.#takenTo = this.#offset
    return taken
  }

  /** Until the signal aborts. @throws BrokenFile, Fenced */
  async run(signal: AbortSignal): Promise<void> {
    const { retryMs } = this.#parts
    while (!signal.aborted) {
      try {
        if (this.#pairs.length < aheadMax) await this.#read(signal)
        else await pause(retryMs, signal)
      } catch (error) {
        if (error instanceof OffsetLost) this.#offset = error.range.begin
        else if (!(error instanceof LogUnavailable)) throw error
        this.#warn(`topic ${topic} was not read: ${error.message}`)
        await pause(retryMs, signal)
      }
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { eventLog } = this.#parts
    const stored = await eventLog.read(topic, this.#offset, readLimit)
    if (stored.length === 0) return eventLog.waitBeyond(topic, this.#offset, signal)
    for (const { value, offset } of stored) {
      this.#offset = offset + 1
      const decoded = decodeMessage(namedHolder, value)
      if ('message' in decoded) this.#pairs.push(decoded.message)
      else this.#warn(`a message of topic ${topic} is skipped: ${decoded.invalid}`)
    }
  }

  #warn(sentence: string): void {
    const fields = { event: events.ingestor.holdersRetried, runbook: runbooks.unanswered }
    this.#parts.log[this.#isWarningDue() ? 'warn' : 'debug'](fields, sentence)
  }
}
