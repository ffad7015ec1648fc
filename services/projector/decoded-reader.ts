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
  /** `signal` ends a wait for the other group. */
  read(offset: number, limit: ReadLimit, signal?: AbortSignal): Promise<readonly ReadMessage[]>
}

/**
 * Wire bytes of the messages kept decoded, about four times as large in memory: three flushes,
 * as one group may be that far ahead of the other.
 */
const cachedBytesMax = 12 * 1024 * 1024

/** Messages that are small on the wire are not small in memory. */
const messageOverheadBytes = 1024

export interface Lead {
  /** A group this far ahead of the other waits for it. Below what is cached: two flushes. */
  readonly leadBytesMax: number
  /** … at most so long: a group that stands still is not waited for until it moves again. */
  readonly leadWaitMaxMs: number
}

const lead: Lead = { leadBytesMax: 8 * 1024 * 1024, leadWaitMaxMs: 10_000 }

/**
 * Reads and decodes `blocks`. The groups of one process share a reader, so that a message that
 * both fold at about the same time is decoded once. They stay together: who is ahead waits, as
 * the other would later have to decode all again, and alone maps more of its state at a time.
 */
export function decodedReader(log: EventLog, bounds: Lead = lead): DecodedReader {
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
        const message = { offset: at, wireBytes: value.length, decoded: decodeBlocksMessage(value) }
        leading.decoded(at, value.length)
        cache.set(at, message)
        return message
      })
    },
  }
}

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
    this.forget(at)
    if (this.bytes < this.bounds.leadBytesMax) this.wake?.()
  }

  forget(at: number): void {
    this.bytes -= this.unshared.get(at) ?? 0
    this.unshared.delete(at)
  }
}
