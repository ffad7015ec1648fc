import {
  type EventLog,
  type LogMessage,
  OffsetLost,
  type ReadLimit,
  type StoredMessage,
} from '../../ports/event-log.ts'

/** The event log without a disk, for tests: what is appended lives as long as the value. */
export function memoryEventLog(): EventLog {
  return new MemoryEventLog()
}

class MemoryEventLog implements EventLog {
  private readonly topics = new Map<string, StoredMessage[]>()
  private readonly waiting = new Set<() => void>()
  private closed = false

  private topic(name: string): StoredMessage[] {
    const known = this.topics.get(name)
    if (known !== undefined) return known
    const created: StoredMessage[] = []
    this.topics.set(name, created)
    return created
  }

  async append(topic: string, messages: readonly LogMessage[]): Promise<readonly number[]> {
    const stored = this.topic(topic)
    const first = stored.length
    for (const { key, value } of messages) {
      stored.push({ offset: stored.length, key, value: Uint8Array.from(value) })
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
