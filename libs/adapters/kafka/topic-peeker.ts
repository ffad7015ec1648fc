import { LRUCache } from 'lru-cache'
import { OffsetLost, type StoredMessage } from '../../ports/event-log.ts'
import type { TopicReader } from './topic-reader.ts'

/** Backward reads prefetch: the next lookup is mostly the message before. */
const lookBackMessages = 32
const keptBytesMax = 8 * 1024 * 1024
/** Idle time after which the reader is closed. */
const idleMs = 10_000

const one = { messagesMax: 1, bytesMax: 1 } as const
const stretch = { messagesMax: lookBackMessages, bytesMax: keptBytesMax } as const

/** Reads single messages of a topic, without moving its reader. */
export class TopicPeeker {
  readonly #open: (offset: number) => TopicReader
  readonly #kept = new LRUCache<number, StoredMessage>({
    maxSize: keptBytesMax,
    sizeCalculation: ({ value }) => value.length + 1,
  })
  #reader: TopicReader | null = null
  #lookedAt = Number.NEGATIVE_INFINITY
  #last: Promise<unknown> = Promise.resolve()
  #idle: NodeJS.Timeout | undefined

  constructor(open: (offset: number) => TopicReader) {
    this.#open = open
  }

  /** The message at `offset`, or the next stored one; empty at the end. */
  at(offset: number): Promise<readonly StoredMessage[]> {
    const found = this.#last.then(() => this.#find(offset))
    this.#last = found.catch(() => {})
    return found
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const reader = this.#reader
    this.#reader = null
    this.#kept.clear()
    this.#lookedAt = Number.NEGATIVE_INFINITY
    await reader?.close()
  }

  async #find(offset: number): Promise<readonly StoredMessage[]> {
    clearTimeout(this.#idle)
    try {
      const isBackwards = offset < this.#lookedAt
      this.#lookedAt = offset
      const known = this.#kept.get(offset)
      if (known !== undefined) return [known]
      if (isBackwards) await this.#keepBefore(offset)
      const kept = this.#kept.get(offset)
      return kept === undefined ? await this.#read(offset, one) : [kept]
    } finally {
      this.#idle = setTimeout(() => void this.close(), idleMs)
      this.#idle.unref()
    }
  }

  async #keepBefore(offset: number): Promise<void> {
    let at = Math.max(0, offset - lookBackMessages + 1)
    try {
      while (at <= offset) {
        const messages = await this.#read(at, stretch)
        for (const message of messages) this.#kept.set(message.offset, message)
        at = (messages.at(-1)?.offset ?? offset) + 1
      }
    } catch (error) {
      // What lies before it is not held any more; it may be.
      if (!(error instanceof OffsetLost)) throw error
    }
  }

  #read(offset: number, limit: typeof one | typeof stretch): Promise<readonly StoredMessage[]> {
    this.#reader ??= this.#open(offset)
    return this.#reader.read(offset, limit)
  }
}
