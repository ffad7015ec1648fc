import { next, type Position, position } from '../../libs/chain/position.ts'
import type { LogMessage } from '../../libs/ports/event-log.ts'
import { type Accepted, accept, type ChainHead } from '../../libs/topics/acceptance.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { type PartHead, parsePart, splitMessage } from '../../libs/topics/parts.ts'

/** Messages about to be published: each checked as every reader will check it. */
export class MessageDraft {
  readonly chainId: number
  readonly messages: BlocksMessage[] = []
  #accepted: Accepted

  constructor(accepted: Accepted, chainId: number) {
    this.#accepted = accepted
    this.chainId = chainId
  }

  /** The newest block, those of this draft among them; null before the first. */
  get head(): ChainHead | null {
    return this.#accepted.head
  }

  /** @throws if a reader would skip the message: nothing of this draft may then be published */
  add(make: (envelope: { sequence: Position; chainId: number }) => BlocksMessage): void {
    const sequence = next(position(this.#accepted.sequence))
    const message = make({ sequence, chainId: this.chainId })
    const fate = accept(this.#accepted, message)
    if (fate.fate === 'skipped') {
      throw new Error(`would publish what readers skip as ${fate.reason}: ${fate.detail}`)
    }
    this.#accepted = fate.next
    this.messages.push(message)
  }

  /**
   * What goes into the log, one after the other: a message is encoded when its turn comes, and
   * cut into parts if it is large.
   *
   * @throws if a message is larger than the bound
   */
  *pieces({ partBytesMax, messageBytesMax }: PieceBounds): Generator<Piece> {
    const key = String(this.chainId)
    for (const message of this.messages) {
      const bytes = encoded(message, messageBytesMax)
      if (bytes.length <= partBytesMax) {
        yield { message, entry: { key, value: bytes }, head: null }
        continue
      }
      for (const value of splitMessage(bytes, partBytesMax)) {
        yield { message, entry: { key, value }, head: parsePart(value)?.head ?? null }
      }
    }
  }
}

export interface PieceBounds {
  readonly partBytesMax: number
  readonly messageBytesMax: number
}

/** A message, or a part of one, as the log takes it. */
export interface Piece {
  readonly message: BlocksMessage
  readonly entry: LogMessage
  readonly head: PartHead | null
}

/** Nothing of the message comes after it. */
export const endsMessage = ({ head }: Piece): boolean =>
  head === null || head.index + 1 === head.count

/** JavaScript limits the length of a string with an error of its own, a RangeError. */
function encoded(message: BlocksMessage, bytesMax: number): Uint8Array {
  const bytes = encodedOrNull(message)
  if (bytes !== null && bytes.length <= bytesMax) return bytes
  const size = bytes === null ? 'too many' : bytes.length
  throw new Error(
    `${nameOf(message)} makes a message of ${size} bytes, above messageBytesMax (${bytesMax})`,
  )
}

function encodedOrNull(message: BlocksMessage): Uint8Array | null {
  try {
    return encodeMessage(message)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function nameOf(message: BlocksMessage): string {
  switch (message.kind) {
    case 'block.applied':
    case 'block.reverted':
      return `block ${message.block.number}`
    case 'state.observed':
      return `the observation after block ${message.block}`
    case 'gap.declared':
      return `the gap from block ${message.from}`
  }
}
