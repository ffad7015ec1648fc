import type { EventLog } from '../../../../libs/ports/event-log.ts'
import { type Accepted, accept, nothingAccepted } from '../../../../libs/topics/acceptance.ts'
import type { BlocksMessage } from '../../../../libs/topics/blocks.ts'
import type { Decoded } from '../../../../libs/topics/codec.ts'
import { LostRaceFilter } from '../../../../libs/topics/lost-race-filter.ts'
import { bytesHash, joinParts, MessageAssembler } from '../../../../libs/topics/parts.ts'

const topic = 'blocks'
const readLimit = { messagesMax: 64, bytesMax: 8 * 1024 * 1024 }

/** A message that every reader of the log accepts, as it was published, its parts joined. */
export interface AcceptedMessage {
  readonly position: number
  readonly bytes: Uint8Array
  /** After it. */
  readonly accepted: Accepted
  /** Of the record that completed it. */
  readonly offset: number
  /** SHA-256 of that record. */
  readonly record: string
}

/** Where reading begins: after an accepted message, or at the beginning of the log. */
export interface ReadingPlace {
  readonly accepted: Accepted
  readonly offset: number
}

export const logBeginning = async (eventLog: EventLog): Promise<ReadingPlace> => ({
  accepted: nothingAccepted,
  offset: await eventLog.begin(topic),
})

/** What the readers of a log skip after its last accepted message, and why. */
export interface Leftover {
  readonly offset: number
  readonly reason: string
}

/** Reads topic `blocks` from a place to its end, message by message. */
export class AcceptedMessages {
  readonly #eventLog: EventLog
  readonly #lost = new LostRaceFilter()
  #accepted: Accepted
  #offset: number
  /** The first record that was skipped since the last accepted message; null if there is none. */
  leftover: Leftover | null = null

  constructor(eventLog: EventLog, { accepted, offset }: ReadingPlace) {
    this.#eventLog = eventLog
    this.#accepted = accepted
    this.#offset = offset
  }

  async *read(): AsyncGenerator<AcceptedMessage> {
    const valueAt = async (offset: number) => {
      const [stored] = await this.#eventLog.read(topic, offset, { messagesMax: 1, bytesMax: 1 })
      return stored?.offset === offset ? stored.value : undefined
    }
    const assembling = new MessageAssembler(valueAt)
    const end = await this.#eventLog.end(topic)
    while (this.#offset < end) {
      const run = await this.#eventLog.read(topic, this.#offset, readLimit)
      if (run.length === 0) return
      for (const { offset, value } of run) {
        this.#offset = offset + 1
        const made = await assembling.add({ offset, value })
        if (made === null) continue
        const step = this.#stepOf(made.decoded)
        if ('reason' in step) {
          if (!step.isLost) this.leftover ??= { offset, reason: step.reason }
          continue
        }
        assembling.accepted()
        this.leftover = null
        this.#accepted = step
        const parts = made.whole === null ? null : await joinParts(made.whole, valueAt)
        if (parts !== null && 'invalid' in parts) throw new Error(parts.invalid)
        const joined = parts === null ? value : parts.message
        const record = bytesHash(value)
        yield { position: step.sequence, bytes: joined, accepted: step, offset, record }
      }
    }
  }

  /** The state after the message, or why every reader skips it. */
  #stepOf(decoded: Decoded<BlocksMessage>): Accepted | Skipped {
    if ('invalid' in decoded) return { reason: `invalid: ${decoded.invalid}`, isLost: false }
    const fate = accept(this.#accepted, decoded.message)
    if (fate.fate === 'accepted') return fate.next
    const isLost = this.#lost.isLost(decoded.message, fate.reason)
    return { reason: `${fate.reason}: ${fate.detail}`, isLost }
  }
}

interface Skipped {
  readonly reason: string
  /** A duplicate, or published by an ingestor that lost a race: nothing is missing. */
  readonly isLost: boolean
}
