import {
  type EventLog,
  type LogMessage,
  OffsetLost,
  type ReadLimit,
  type StoredMessage,
} from '../event-log.ts'
import { Fenced } from '../state-store.ts'

/** What a disk would hold: it may be opened several times. */
export class MemoryTopics {
  readonly waiting = new Set<() => void>()
  holder: object | null = null
  private readonly topics = new Map<string, StoredMessage[]>()

  of(name: string): StoredMessage[] {
    const known = this.topics.get(name)
    if (known !== undefined) return known
    const created: StoredMessage[] = []
    this.topics.set(name, created)
    return created
  }
}

/** The event log without a disk, for tests. The same topics can be opened again. */
export function memoryEventLog(topics: MemoryTopics = new MemoryTopics()): EventLog {
  return new MemoryEventLog(topics)
}

class MemoryEventLog implements EventLog {
  private readonly topics: MemoryTopics
  private closed = false

  constructor(topics: MemoryTopics) {
    this.topics = topics
    topics.holder = this
  }

  private topic(name: string): StoredMessage[] {
    return this.topics.of(name)
  }

  private get waiting(): Set<() => void> {
    return this.topics.waiting
  }

  async append(topic: string, messages: readonly LogMessage[]): Promise<readonly number[]> {
    if (this.topics.holder !== this) throw new Fenced('the log was opened again')
    const stored = this.topic(topic)
    const first = stored.length
    for (const message of messages) {
      const value = Uint8Array.from(message.value)
      stored.push({ ...message, offset: stored.length, value })
    }
    for (const wake of this.waiting) wake()
    return messages.map((_, at) => first + at)
  }

  async read(topic: string, offset: number, limit: ReadLimit): Promise<readonly StoredMessage[]> {
    const end = this.topic(topic).length
    if (offset < 0 || offset > end) throw new OffsetLost(topic, offset, { begin: 0, end })
    const messages: StoredMessage[] = []
    let bytes = 0
    for (const message of this.topic(topic).slice(offset, offset + limit.messagesMax)) {
      messages.push(message)
      bytes += message.value.length
      if (bytes >= limit.bytesMax) break
    }
    return messages
  }

  async begin(): Promise<number> {
    return 0
  }

  async end(topic: string): Promise<number> {
    return this.topic(topic).length
  }

  async waitBeyond(topic: string, offset: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.closed && this.topic(topic).length === offset) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        this.waiting.add(wake)
        signal.addEventListener('abort', wake, { once: true })
      })
    }
  }

  async close(): Promise<void> {
    this.closed = true
    for (const wake of this.waiting) wake()
  }
}
