import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { Hash } from '../../../libs/chain/hex.ts'
import type { EventLog, ReadLimit } from '../../../libs/ports/event-log.ts'
import { seenIn } from '../../../libs/signals/block-stage.ts'
import type { BlocksMessage } from '../../../libs/topics/blocks.ts'
import { type Decoded, decodeBlocksMessage } from '../../../libs/topics/codec.ts'
import {
  type AssembledParts,
  bytesHash,
  decodeAssembled,
  type MessagePart,
  parsePart,
} from '../../../libs/topics/parts.ts'

/** A message of `blocks` with its place in the log, decoded or found invalid. */
export interface ReadMessage {
  /** Of the message, or of its last part. */
  readonly offset: number
  /** Append time, as the log records it; for metrics. */
  readonly time?: number | undefined
  /** When the ingestor first had its block, in ms since 1970, of new blocks; for metrics. */
  readonly seen?: number | null
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
  readonly time?: number | undefined
  /** When the ingestor first had its block, in ms since 1970, of new blocks; for metrics. */
  readonly seen?: number | null
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
export function decodedReader(eventLog: EventLog, bounds: Lead = leadDefault): DecodedReader {
  const leading = new Leading(bounds)
  const cache = new LRUCache<number, ReadMessage>({
    maxSize: cachedBytesMax,
    sizeCalculation: (message) => message.wireBytes + messageOverheadBytes,
    dispose: (_message, at) => leading.forget(at),
  })
  return {
    async read(offset, limit, signal) {
      await leading.beforeRead(offset, signal)
      const stored = await eventLog.read('blocks', offset, limit)
      return stored.map(({ offset: at, value, time, headers }) => {
        // Without renewing it: the oldest is evicted first, which both groups have read.
        const known = cache.peek(at)
        if (known !== undefined) {
          leading.followed(at)
          return known
        }
        const seen = seenIn(headers)
        const part = parsePart(value)
        if (part !== null) return { offset: at, time, seen, part }
        const decoded = decodeBlocksMessage(value)
        const read = { wireBytes: value.length, hash: bytesHash(value), whole: null }
        const message = { offset: at, time, seen, decoded, ...read }
        leading.decoded(at, value.length)
        cache.set(at, message)
        return message
      })
    },
    whole: wholeReader(eventLog),
  }
}

/**
 * Assembles one large message at a time, for all groups. The last one is returned again while
 * another group still holds it, and is not retained for later ones.
 */
function wholeReader(eventLog: EventLog): DecodedReader['whole'] {
  const one = { messagesMax: 1, bytesMax: 1 }
  const valueAt = async (offset: number) => {
    const [stored] = await eventLog.read('blocks', offset, one)
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

interface Lead {
  /** A group this far ahead of the other waits for it. Below what is cached: two flushes. */
  readonly leadBytesMax: number
  /** … for at most this time; a stalled group is not waited for until it advances. */
  readonly leadWaitMaxMs: number
}

const leadDefault: Lead = { leadBytesMax: 8 * 1024 * 1024, leadWaitMaxMs: 10_000 }

/** How far the group that reads first is ahead of the one that reads the same after it. */
class Leading {
  private readonly bounds: Lead
  /** Wire bytes by offset of what only one group has read, and is still cached. */
  private readonly unshared = new Map<number, number>()
  private bytes = 0
  /** Offset after the newest message that was read. */
  private end = 0
  private isFollowed = false
  private wake: (() => void) | null = null

  constructor(bounds: Lead) {
    this.bounds = bounds
  }

  async beforeRead(offset: number, signal?: AbortSignal): Promise<void> {
    const { leadBytesMax, leadWaitMaxMs } = this.bounds
    if (offset < this.end || !this.isFollowed || this.bytes < leadBytesMax) return
    if (signal?.aborted === true) return
    await new Promise<void>((resolve) => {
      const go = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', go)
        resolve()
      }
      const timer = setTimeout(() => {
        this.isFollowed = false
        go()
      }, leadWaitMaxMs)
      signal?.addEventListener('abort', go, { once: true })
      this.wake = go
    })
  }

  decoded(at: number, bytes: number): void {
    if (at < this.end) return
    this.end = at + 1
    this.unshared.set(at, bytes)
    this.bytes += bytes
  }

  followed(at: number): void {
    if (!this.unshared.has(at)) return
    this.isFollowed = true
    // The other group has begun after what precedes it, and will not read that.
    for (const earlier of this.unshared.keys()) {
      if (earlier > at) break
      this.forget(earlier)
    }
  }

  forget(at: number): void {
    this.bytes -= this.unshared.get(at) ?? 0
    this.unshared.delete(at)
    if (this.bytes < this.bounds.leadBytesMax) this.wake?.()
  }
}
