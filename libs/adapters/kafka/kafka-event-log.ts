import { randomUUID } from 'node:crypto'
import type { EventLog, LogMessage, ReadLimit, StoredMessage } from '../../ports/event-log.ts'
import type { Log } from '../../signals/log.ts'
import { type KafkaConnection, kafkaClient, withCallTimeout } from './kafka-client.ts'
import { assertKafkaLimits, type KafkaLimits, kafkaLimits } from './kafka-limits.ts'
import { TopicOffsets } from './offsets.ts'
import { TopicAppender } from './topic-appender.ts'
import { TopicPeeker } from './topic-peeker.ts'
import { TopicReader } from './topic-reader.ts'

export interface KafkaEventLogOptions {
  readonly place: KafkaConnection
  readonly signals: Log
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
    const { place, signals } = options
    const limits = { ...kafkaLimits, ...options.limits }
    assertKafkaLimits(limits)
    this.#options = options
    this.#limits = limits
    this.#kafka = kafkaClient(place, limits, signals)
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
    // Brokers that do not answer hear nothing of it.
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
    const { place, signals, compacted } = this.#options
    const { fetchBytesMax, compactedFetchBytesMax } = this.#limits
    const parts = {
      kafka: this.#kafka,
      topic: this.#nameOf(topic),
      groupIdOf: () => group ?? `${place.clientId}-${randomUUID()}`,
      isStable: group !== null,
      limits: this.#limits,
      fetchBytesMax: compacted.includes(topic) ? compactedFetchBytesMax : fetchBytesMax,
      signals,
      offsetsOf: (name: string) => this.#offsets.range(name),
      failed: this.#fail,
    }
    return new TopicReader(parts, offset)
  }
}
