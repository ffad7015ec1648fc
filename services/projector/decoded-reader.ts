import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { Hash } from '../../libs/chain/hex.ts'
import type { EventLog, ReadLimit } from '../../libs/ports/event-log.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { type Decoded, decodeBlocksMessage } from '../../libs/topics/codec.ts'
import { decodeAssembled } from '../../libs/topics/message-assembler.ts'
import {
  type AssembledParts,
  bytesHash,
  type MessagePart,
  parsePart,
} from '../../libs/topics/parts.ts'
import { type Lead, Leading, leadDefault } from './leading.ts'

/** A message of `blocks` with its place in the log, decoded or found invalid. */
export interface ReadMessage {
  /** Of the message, or of its last part. */
  readonly offset: number
  readonly wireBytes: number
  readonly decoded: Decoded<BlocksMessage>
  /** SHA-256 of its bytes. */
  readonly hash: Hash
  /** Where its parts lie; null if it came in one. */
  readonly whole: AssembledParts | null
}

/** A part of a message, whose content is read again when all of them are there. */
export interface ReadPart {
  readonly offset: number
  readonly part: MessagePart
}

export interface DecodedReader {
  /** `signal` ends a wait for the other group. */
  read(
    offset: number,
    limit: ReadLimit,
    signal?: AbortSignal,
  ): Promise<readonly (ReadMessage | ReadPart)[]>
  /** The message that its parts make. */
  whole(whole: AssembledParts): Promise<Decoded<BlocksMessage>>
}

/**
 * Wire bytes of the messages kept decoded, about four times as large in memory: three flushes,
 * as one group may be that far ahead of the other.
 */
const cachedBytesMax = 12 * 1024 * 1024

/** Messages that are small on the wire are not small in memory. */
const messageOverheadBytes = 1024

/**
 * Reads and decodes `blocks`. The groups of one process share a reader, so that a message that
 * both fold at about the same time is decoded once. They stay together: who is ahead waits, as
 * the other would later have to decode all again, and alone maps more of its state at a time.
 */
export function decodedReader(log: EventLog, bounds: Lead = leadDefault): DecodedReader {
  const leading = new Leading(bounds)
  const cache = new LRUCache<number, ReadMessage>({
    maxSize: cachedBytesMax,
    sizeCalculation: (message) => message.wireBytes + messageOverheadBytes,
    dispose: (_message, at) => leading.forget(at),
  })
  return {
    async read(offset, limit, signal) {
      await leading.beforeRead(offset, signal)
      const stored = await log.read('blocks', offset, limit)
      return stored.map(({ offset: at, value }) => {
        const known = cache.get(at)
        if (known !== undefined) {
          leading.followed(at)
          return known
        }
        const part = parsePart(value)
        if (part !== null) return { offset: at, part }
        const decoded = decodeBlocksMessage(value)
        const read = { wireBytes: value.length, hash: bytesHash(value), whole: null }
        const message = { offset: at, decoded, ...read }
        leading.decoded(at, value.length)
        cache.set(at, message)
        return message
      })
    },
    whole: wholeReader(log),
  }
}

/**
 * Assembles one large message at a time, for all groups. The last one is returned again while
 * another group still holds it, and is not retained for later ones.
 */
function wholeReader(log: EventLog): DecodedReader['whole'] {
  const one = { messagesMax: 1, bytesMax: 1 }
  const valueAt = async (offset: number) => {
    const [stored] = await log.read('blocks', offset, one)
    return stored?.offset === offset ? stored.value : undefined
  }
  const inTurn = pLimit(1)
  let last: { readonly at: number; readonly decoded: WeakRef<Decoded<BlocksMessage>> } | null = null
  return (whole) =>
    inTurn(async () => {
      const at = whole.offsets[0] ?? -1
      const known = last?.at === at ? last.decoded.deref() : undefined
      if (known !== undefined) return known
      const decoded = await decodeAssembled(whole, valueAt)
      last = { at, decoded: new WeakRef(decoded) }
      return decoded
    })
}
