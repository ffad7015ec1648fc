import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { BlocksMessage } from '../../../libs/topics/blocks.ts'
import type { Decoded } from '../../../libs/topics/codec.ts'
import { decodeInPieces } from '../../../libs/topics/decode-in-pieces.ts'
import { MessageAssembler, parsePart } from '../../../libs/topics/parts.ts'

const topic = 'blocks'

/** After which parts that no more followed are given up: their ingestor ended in their midst. */
const wholeMessagesMax = 64

interface Stored {
  readonly offset: number
  readonly value: Uint8Array
}

/** Decodes topic `blocks`, message by message: great ones come in parts. */
export class BlockMessages {
  readonly #assembling: MessageAssembler
  #wholeMessages = 0

  constructor(eventLog: Pick<EventLog, 'read'>) {
    this.#assembling = new MessageAssembler(async (offset) => {
      const one = { messagesMax: 1, bytesMax: 1 }
      const [stored] = await eventLog.read(topic, offset, one)
      return stored?.offset === offset ? stored.value : undefined
    })
  }

  /** Whether no part waits for others. */
  get isClean(): boolean {
    return this.#assembling.isClean
  }

  /** Null for a part that others follow. */
  async decoded(stored: Stored): Promise<Decoded<BlocksMessage> | null> {
    if (parsePart(stored.value) === null) {
      this.#wholeMessages++
      if (this.#wholeMessages >= wholeMessagesMax) this.#assembling.accepted()
      return decodeInPieces(Buffer.from(stored.value))
    }
    this.#wholeMessages = 0
    const whole = await this.#assembling.add(stored)
    if (whole === null) return null
    this.#assembling.accepted()
    return whole.decoded
  }
}
