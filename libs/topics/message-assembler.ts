import type { BlocksMessage } from './blocks.ts'
import { type Decoded, decodeBlocksMessage } from './codec.ts'
import { type AssembledParts, joinParts, PartAssembler, parsePart } from './parts.ts'

/** A record of topic `blocks`: a message, or a part of one. */
export interface StoredValue {
  readonly offset: number
  readonly value: Uint8Array
}

export interface AssembledMessage {
  readonly decoded: Decoded<BlocksMessage>
  /** Offsets of its parts; null if it was not split. */
  readonly whole: AssembledParts | null
}

/** Turns the records of a log, read in order, into messages. */
export class MessageAssembler {
  readonly #parts = new PartAssembler()
  readonly #valueAt: (offset: number) => Promise<Uint8Array | undefined>
  #begun = false

  /** @param valueAt reads the record at an offset; undefined if it does not exist (any more) */
  constructor(valueAt: (offset: number) => Promise<Uint8Array | undefined>) {
    this.#valueAt = valueAt
  }

  /** Whether no incomplete message is pending. */
  get isClean(): boolean {
    return !this.#begun
  }

  /** @returns null for a part that completes nothing */
  async add({ offset, value }: StoredValue): Promise<AssembledMessage | null> {
    const part = parsePart(value)
    if (part === null) return { decoded: decodeBlocksMessage(value), whole: null }
    this.#begun = true
    const taken = this.#parts.add(offset, part)
    if ('kept' in taken) return null
    if ('invalid' in taken) return { decoded: taken, whole: null }
    return { decoded: await decodeAssembled(taken.whole, this.#valueAt), whole: taken.whole }
  }

  /** To be called when the last message was accepted. */
  accepted(): void {
    this.#parts.reset()
    this.#begun = false
  }
}

/** Decodes a message from its parts. */
export async function decodeAssembled(
  whole: AssembledParts,
  valueAt: (offset: number) => Promise<Uint8Array | undefined>,
): Promise<Decoded<BlocksMessage>> {
  const bytes = await joinParts(whole, valueAt)
  return 'invalid' in bytes ? bytes : decodeBlocksMessage(bytes.message)
}
