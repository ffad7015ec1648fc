import type { BlocksMessage } from './blocks.ts'
import { type Decoded, decodeBlocksMessage } from './codec.ts'
import { type AssembledParts, joinParts, PartAssembler, parsePart } from './parts.ts'

/** A message of `blocks` as a log holds it, or a part of one. */
export interface StoredValue {
  readonly offset: number
  readonly value: Uint8Array
}

export interface AssembledMessage {
  readonly decoded: Decoded<BlocksMessage>
  /** Where its parts lie; null if it came in one. */
  readonly whole: AssembledParts | null
}

/** One reader's way from what a log holds to messages, for those who read it in order. */
export class MessageAssembler {
  readonly #parts = new PartAssembler()
  readonly #valueAt: (offset: number) => Promise<Uint8Array | undefined>
  #begun = false

  /** @param valueAt what the log holds at an offset; undefined if nothing (any more) */
  constructor(valueAt: (offset: number) => Promise<Uint8Array | undefined>) {
    this.#valueAt = valueAt
  }

  /** Nothing that was begun could become a message by what comes next. */
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

  /** What was heard last was accepted. */
  accepted(): void {
    this.#parts.reset()
    this.#begun = false
  }
}

/** What the parts of a message say together. */
export async function decodeAssembled(
  whole: AssembledParts,
  valueAt: (offset: number) => Promise<Uint8Array | undefined>,
): Promise<Decoded<BlocksMessage>> {
  const bytes = await joinParts(whole, valueAt)
  return 'invalid' in bytes ? bytes : decodeBlocksMessage(bytes.message)
}
