import { LRUCache } from 'lru-cache'
import type { EventLog, ReadLimit } from '../../libs/ports/event-log.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { type Decoded, decodeBlocksMessage } from '../../libs/topics/codec.ts'

/** A message of `blocks` with its place in the log, decoded or found invalid. */
export interface ReadMessage {
  readonly offset: number
  readonly wireBytes: number
  readonly decoded: Decoded<BlocksMessage>
}

export interface DecodedReader {
  read(offset: number, limit: ReadLimit): Promise<readonly ReadMessage[]>
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
 * both fold at about the same time is decoded once.
 */
export function decodedReader(log: EventLog): DecodedReader {
  const cache = new LRUCache<number, ReadMessage>({
    maxSize: cachedBytesMax,
    sizeCalculation: (message) => message.wireBytes + messageOverheadBytes,
  })
  return {
    async read(offset, limit) {
      const stored = await log.read('blocks', offset, limit)
      return stored.map(({ offset: at, value }) => {
        const known = cache.get(at)
        if (known !== undefined) return known
        const message = { offset: at, wireBytes: value.length, decoded: decodeBlocksMessage(value) }
        cache.set(at, message)
        return message
      })
    },
  }
}
