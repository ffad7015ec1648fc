import { z } from 'zod'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { StateStore } from '../../../libs/ports/state-store.ts'
import {
  type Accepted,
  accept,
  accepted as acceptedForm,
  nothingAccepted,
} from '../../../libs/topics/acceptance.ts'
import type { BlockApplied, BlocksMessage } from '../../../libs/topics/blocks.ts'
import { type Decoded, decodeBlocksMessage } from '../../../libs/topics/codec.ts'
import {
  assembledParts,
  decodeAssembled,
  MessageAssembler,
  parsePart,
} from '../../../libs/topics/parts.ts'
import { hashText, integerNumber } from '../../../libs/topics/quantities.ts'
import type { IngestorLimits } from './ingestor-limits.ts'
import { type OnDropped, TokenMemory } from './token-memory.ts'

export const blocksTopic = 'blocks'

/** Location of a message: its offset, or that of its last part, and those of all parts. */
const locationForm = z.object({
  offset: integerNumber,
  whole: assembledParts.nullable().default(null),
})
type LogLocation = z.output<typeof locationForm>

const standingForm = locationForm.extend({ number: integerNumber, hash: hashText })

/** A published block that can still be reverted, and the location of its message in the log. */
export type RevertibleBlock = z.output<typeof standingForm>

/** Of all that the ingestor keeps beside the log. Raise it with any change of a stored form. */
const memoryFormat = 4

const savedForm = z.object({
  format: z.literal(memoryFormat),
  accepted: acceptedForm,
  /** Where reading continues: after the last accepted message, as parts may have begun there. */
  offset: integerNumber,
  /** Offset of the last accepted message: proof that this memory belongs to this log. */
  lastOffset: integerNumber,
  /** Of that message, if it came in parts. */
  lastHash: hashText.nullable().default(null),
  standing: z.array(standingForm),
})
type Saved = z.output<typeof savedForm>

const nothingSaved: Saved = {
  format: memoryFormat,
  accepted: nothingAccepted,
  offset: 0,
  lastOffset: 0,
  lastHash: null,
  standing: [],
}
const memoryKey = Buffer.from('memory')

interface MemoryOptions {
  readonly eventLog: EventLog
  readonly state: StateStore
  readonly limits: IngestorLimits
  readonly onDropped?: OnDropped
}

/**
 * The ingestor's memory, all of it read from its own topic: the end of the log, the last blocks,
 * and what is known of tokens. Losing the saved form costs one read of the log.
 */
export class LogMemory {
  readonly tokens: TokenMemory
  readonly #options: MemoryOptions
  #now: Saved = nothingSaved
  #offset = 0
  #assembling: MessageAssembler
  #unsavedMessages = 0

  static async open(options: MemoryOptions): Promise<LogMemory> {
    const memory = new LogMemory(options)
    await memory.#restore()
    await memory.catchUp()
    // What an earlier process dropped was reported by that process.
    if (options.onDropped) memory.tokens.onDropped = options.onDropped
    return memory
  }

  private constructor(options: MemoryOptions) {
    this.#options = options
    this.#assembling = new MessageAssembler((offset) => this.#valueAt(offset))
    this.tokens = new TokenMemory(options)
  }

  get accepted(): Accepted {
    return this.#now.accepted
  }

  /** Where the next message of the log will be, as far as this memory has read. */
  get offset(): number {
    return this.#offset
  }

  /** Nothing that others began could become a message by what is published next. */
  get isClean(): boolean {
    return this.#assembling.isClean
  }

  /** Ascending; the last one is the head. */
  get revertible(): readonly RevertibleBlock[] {
    return this.#now.standing
  }

  /** Takes in whatever was appended since, by us or by another ingestor. */
  async catchUp(): Promise<void> {
    const { eventLog, limits } = this.#options
    for (;;) {
      const read = await eventLog.read(blocksTopic, this.offset, {
        messagesMax: limits.readMessagesMax,
        bytesMax: limits.readBytesMax,
      })
      if (read.length === 0) return
      for (const stored of read) {
        const assembled = await this.#assembling.add(stored)
        const message =
          assembled && 'message' in assembled.decoded ? assembled.decoded.message : null
        await this.takeIn(message, { offset: stored.offset, whole: assembled?.whole ?? null })
        if (this.isSaveDue) await this.save()
      }
    }
  }

  /** @param message null for one that cannot be decoded (every reader skips it), and for a part */
  async takeIn(message: BlocksMessage | null, place: LogLocation): Promise<void> {
    this.#offset = place.offset + 1
    this.#unsavedMessages++
    if (!message) return
    const fate = accept(this.accepted, message)
    if (fate.fate === 'skipped') return
    this.#assembling.accepted()
    this.#now = {
      format: memoryFormat,
      accepted: fate.next,
      offset: this.#offset,
      lastOffset: place.offset,
      lastHash: place.whole?.hash ?? null,
      standing: this.#standingAfter(message, place),
    }
    await this.tokens.note(message, this.accepted.head?.number ?? null)
  }

  /** The message that applied a standing block. @throws if the log does not hold it any more */
  async appliedAt({ number, hash, ...place }: RevertibleBlock): Promise<BlockApplied> {
    const decoded = await this.#decodedAt(place)
    if (decoded && 'message' in decoded && decoded.message.kind === 'block.applied') {
      if (decoded.message.block.hash === hash) return decoded.message
    }
    throw new Error(`the log does not hold block ${number} at offset ${place.offset} any more`)
  }

  async save(): Promise<void> {
    if (this.#unsavedMessages === 0) return
    const bytes = Buffer.from(JSON.stringify(this.#now))
    await this.#options.state.commit([[memoryKey, bytes], ...this.tokens.unsaved()])
    this.tokens.saved()
    this.#unsavedMessages = 0
  }

  get isSaveDue(): boolean {
    const { saveIntervalMessages } = this.#options.limits
    return this.#unsavedMessages >= saveIntervalMessages || this.tokens.isFull
  }

  #standingAfter(message: BlocksMessage, place: LogLocation): RevertibleBlock[] {
    const { standing } = this.#now
    switch (message.kind) {
      case 'block.applied': {
        const { number, hash } = message.block
        const kept = standing.slice(-this.#options.limits.reorganisationDepthMax)
        return [...kept, { number, hash, ...place }]
      }
      case 'block.reverted':
        return standing.slice(0, -1)
      case 'state.observed':
      case 'gap.declared':
        return standing
    }
  }

  async #restore(): Promise<void> {
    const bytes = this.#options.state.get(memoryKey)
    if (!bytes) return
    // What another program kept in another form is read from the log again.
    const { data: saved } = savedForm.safeParse(JSON.parse(bytes.toString()))
    if (saved && (await this.#belongsToLog(saved))) {
      this.#now = saved
      this.#offset = saved.offset
      this.tokens.load(saved.accepted.sequence)
    } else await this.tokens.forget()
  }

  /** A log that was restored, replaced or cut short does not hold what the memory saw. */
  async #belongsToLog(saved: Saved): Promise<boolean> {
    const { eventLog } = this.#options
    const [begin, end] = await Promise.all([eventLog.begin(blocksTopic), eventLog.end(blocksTopic)])
    if (saved.lastOffset < begin || saved.offset > end) return false
    if (saved.accepted.sequence === 0) return true
    const value = await this.#valueAt(saved.lastOffset)
    if (!value) return false
    // Its last part names it by its hash: no need to read the others.
    if (saved.lastHash !== null) return parsePart(value)?.head.hash === saved.lastHash
    const decoded = decodeBlocksMessage(value)
    if (!('message' in decoded)) return false
    const again = accept(saved.accepted, decoded.message)
    const { sequence } = decoded.message
    const isSame = again.fate === 'skipped' && again.reason === 'duplicate'
    return isSame && sequence === saved.accepted.sequence
  }

  async #decodedAt({ offset, whole }: LogLocation): Promise<Decoded<BlocksMessage> | undefined> {
    if (whole !== null) return decodeAssembled(whole, (at) => this.#valueAt(at))
    const value = await this.#valueAt(offset)
    return value && decodeBlocksMessage(value)
  }

  async #valueAt(offset: number): Promise<Uint8Array | undefined> {
    const one = { messagesMax: 1, bytesMax: 1 }
    const [stored] = await this.#options.eventLog.read(blocksTopic, offset, one)
    return stored?.offset === offset ? stored.value : undefined
  }
}
