import {
  type EventLog,
  type LogMessage,
  OffsetLost,
  type ReadLimit,
  type StoredMessage,
} from '../../../libs/ports/event-log.ts'
import { linkedAbort } from '../../../libs/signals/linked-abort.ts'

interface FactTopic {
  messages: StoredMessage[]
  end: number
}

/** A log whose topics are compacted, made anew and mirrored, as those of strangers on a cluster. */
export class FactLog implements EventLog {
  /** In ms; the brokers' clock, which may go backward. */
  now = 1_700_000_000_000
  private readonly topics = new Map<string, FactTopic>()
  private readonly changed = new Set<() => void>()
  private readonly waited = new Set<() => void>()
  private waitsAt = 0
  private version = 0

  async append(name: string, messages: readonly LogMessage[]): Promise<readonly number[]> {
    const topic = this.topic(name)
    const first = topic.end
    for (const { key, value } of messages) {
      topic.messages.push({ offset: topic.end++, key, value, time: this.now++ })
    }
    this.change()
    return messages.map((_, at) => first + at)
  }

  async read(name: string, offset: number, limit: ReadLimit): Promise<readonly StoredMessage[]> {
    const { messages, end } = this.topic(name)
    if (offset < 0 || offset > end) throw new OffsetLost(name, offset, { begin: 0, end })
    return messages.filter((message) => message.offset >= offset).slice(0, limit.messagesMax)
  }

  async begin(): Promise<number> {
    return 0
  }

  async end(name: string): Promise<number> {
    return this.topic(name).end
  }

  async waitBeyond(name: string, offset: number, signal: AbortSignal): Promise<void> {
    const { version } = this
    const { messages, end } = this.topic(name)
    if (offset > end || messages.some((message) => message.offset >= offset)) return
    this.waitsAt = version
    for (const wake of this.waited) wake()
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.changed.delete(wake)
        resolve()
      }
      this.changed.add(wake)
      signal.addEventListener('abort', wake, { once: true })
    })
  }

  async close(): Promise<void> {}

  /** Resolves when a reader of all topics has read what they hold now. */
  async untilRead(signal: AbortSignal): Promise<void> {
    const { version } = this
    const over = linkedAbort(signal)
    while (!signal.aborted && this.waitsAt < version) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.waited.delete(wake)
          resolve()
        }
        this.waited.add(wake)
        signal.addEventListener('abort', wake, { once: true })
      })
    }
    over.end()
  }

  /** Whoever read before does not count. */
  unread(): void {
    this.version++
  }

  /** Of each key only the last message stays, at its offset. The newest ones are not looked at. */
  compact(name: string, activeMessages: number): void {
    const topic = this.topic(name)
    const last = new Map(topic.messages.map(({ key, offset }) => [key, offset]))
    topic.messages = topic.messages.filter(({ key, offset }) => {
      return offset >= topic.end - activeMessages || last.get(key) === offset
    })
  }

  /** Empty again, with offsets from 0. */
  makeAnew(name: string): void {
    this.topics.set(name, { messages: [], end: 0 })
    this.change()
  }

  /** What it holds, in a topic of that name elsewhere: offsets are others. */
  mirror(name: string, keepsTimes: boolean): void {
    const { messages } = this.topic(name)
    const moved = messages.map((message, offset) => ({
      ...message,
      offset,
      ...(keepsTimes ? {} : { time: this.now++ }),
    }))
    this.topics.set(name, { messages: moved, end: moved.length })
    this.change()
  }

  /** By key, what the topic says last. */
  lastOf(name: string): ReadonlyMap<string, Uint8Array> {
    return new Map(this.topic(name).messages.map(({ key, value }) => [key, value]))
  }

  private topic(name: string): FactTopic {
    const known = this.topics.get(name)
    if (known !== undefined) return known
    const made = { messages: [], end: 0 }
    this.topics.set(name, made)
    return made
  }

  private change(): void {
    this.version++
    for (const wake of this.changed) wake()
  }
}
