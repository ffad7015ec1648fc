import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import {
  type EventLog,
  type LogMessage,
  OffsetLost,
  type ReadLimit,
  type StoredMessage,
} from '../../ports/event-log.ts'
import type { Log } from '../../signals/log.ts'
import {
  assertKafkaLimits,
  type KafkaConnection,
  type KafkaLimits,
  kafkaClient,
  kafkaLimits,
  withCallTimeout,
} from './kafka-client.ts'
import { TopicOffsets } from './offsets.ts'
import { TopicAppender } from './topic-appender.ts'
import { TopicReader } from './topic-reader.ts'

export interface KafkaEventLogOptions {
  readonly place: KafkaConnection
  readonly log: Log
  /** Before the name of each topic; empty by default. */
  readonly topicPrefix?: string
  /**
   * The consumer group of a topic's readers, of which one reads and the others are on standby;
   * null, the default, for a group of this process alone, which always reads.
   */
  readonly groupOf?: (topic: string) => string | null
  /** Topics of which brokers keep only the last message of a key; without their prefix. */
  readonly compacted: readonly string[]
  readonly limits?: Partial<KafkaLimits>
}

/** An event log that can end: its process then has to. */
export interface KafkaEventLog extends EventLog {
  /** Resolves with the reason when it cannot go on; pends while it can. */
  readonly failed: Promise<Error>
}

/**
 * The event log on Kafka. Topics have one partition and are created beforehand. It connects with
 * the first call of each kind; readers pass their offsets, a group's are never read.
 */
export function kafkaEventLog(options: KafkaEventLogOptions): KafkaEventLog {
  return new LogOnKafka(options)
}

class LogOnKafka implements KafkaEventLog {
  readonly failed: Promise<Error>
  readonly #options: KafkaEventLogOptions
  readonly #limits: KafkaLimits
  readonly #kafka: ReturnType<typeof kafkaClient>
  readonly #appender: TopicAppender
  readonly #offsets: TopicOffsets
  readonly #readers = new Map<string, TopicReader>()
  readonly #peekers = new Map<string, TopicPeeker>()
  #fail: (error: Error) => void = () => {}

  constructor(options: KafkaEventLogOptions) {
    const { place, log } = options
    const limits = { ...kafkaLimits, ...options.limits }
    assertKafkaLimits(limits)
    this.#options = options
    this.#limits = limits
    this.#kafka = kafkaClient(place, limits, log)
    this.#appender = new TopicAppender(this.#kafka, limits)
    this.#offsets = new TopicOffsets(this.#kafka, limits)
    this.failed = new Promise((resolve) => {
      this.#fail = resolve
    })
  }

  append(topic: string, messages: readonly LogMessage[]): Promise<readonly number[]> {
    return this.#appender.append(this.#nameOf(topic), messages)
  }

  read(topic: string, offset: number, limit: ReadLimit): Promise<readonly StoredMessage[]> {
    // A read of a single message is a lookup: the reader of the topic keeps its offset.
    if (limit.messagesMax === 1) return this.#peekerOf(topic).at(offset)
    return this.#readerOf(topic, offset).read(offset, limit)
  }

  async begin(topic: string): Promise<number> {
    return (await this.#offsets.range(this.#nameOf(topic))).begin
  }

  async end(topic: string): Promise<number> {
    return (await this.#offsets.range(this.#nameOf(topic))).end
  }

  waitBeyond(topic: string, offset: number, signal: AbortSignal): Promise<void> {
    return this.#readerOf(topic, offset).waitBeyond(offset, signal)
  }

  async close(): Promise<void> {
    const readers = [...this.#readers.values(), ...this.#peekers.values()]
    const left = readers.map((reader) => reader.close())
    const all = Promise.all([...left, this.#appender.close(), this.#offsets.close()])
    // Brokers that do not respond are not notified.
    await withCallTimeout(this.#limits.closeTimeoutMs, 'leaving Kafka', all).catch(() => {})
  }

  #nameOf(topic: string): string {
    return `${this.#options.topicPrefix ?? ''}${topic}`
  }

  /** A reader begins where it is first asked to read. */
  #readerOf(topic: string, offset: number): TopicReader {
    const known = this.#readers.get(topic)
    if (known !== undefined) return known
    const group = this.#options.groupOf?.(topic) ?? null
    const reader = this.#reader(topic, offset, group)
    this.#readers.set(topic, reader)
    return reader
  }

  #peekerOf(topic: string): TopicPeeker {
    const known = this.#peekers.get(topic)
    if (known !== undefined) return known
    const peeker = new TopicPeeker((offset) => this.#reader(topic, offset, null))
    this.#peekers.set(topic, peeker)
    return peeker
  }

  #reader(topic: string, offset: number, group: string | null): TopicReader {
    const { place, log, compacted } = this.#options
    const { fetchBytesMax, compactedFetchBytesMax } = this.#limits
    const parts = {
      kafka: this.#kafka,
      topic: this.#nameOf(topic),
      groupIdOf: () => group ?? `${place.clientId}-${randomUUID()}`,
      isStable: group !== null,
      limits: this.#limits,
      fetchBytesMax: compacted.includes(topic) ? compactedFetchBytesMax : fetchBytesMax,
      log,
      offsetsOf: (name: string) => this.#offsets.range(name),
      failed: this.#fail,
    }
    return new TopicReader(parts, offset)
  }
}

/** Backward reads prefetch: the next lookup is mostly the message before. */
const lookBackMessages = 32
const keptBytesMax = 8 * 1024 * 1024
/** Idle time after which the reader is closed. */
const idleMs = 10_000

const one = { messagesMax: 1, bytesMax: 1 } as const
const stretch = { messagesMax: lookBackMessages, bytesMax: keptBytesMax } as const

/** Reads single messages of a topic, without moving its reader. */
class TopicPeeker {
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
      // Earlier messages may have been deleted by retention.
      if (!(error instanceof OffsetLost)) throw error
    }
  }

  #read(offset: number, limit: typeof one | typeof stretch): Promise<readonly StoredMessage[]> {
    this.#reader ??= this.#open(offset)
    return this.#reader.read(offset, limit)
  }
}
