import { CompressionTypes, type Kafka, type Producer } from 'kafkajs'
import type { LogMessage } from '../../ports/event-log.ts'
import { retryOf } from './kafka-client.ts'
import { kafkaError, typeOf } from './kafka-failure.ts'
import type { KafkaLimits } from './kafka-limits.ts'
import { bytesOf, recordBatches } from './record-batches.ts'
import { withTimeout } from './within.ts'

/** Appends in the order of the calls, acknowledged by all replicas in sync. */
export class TopicAppender {
  readonly #kafka: Kafka
  readonly #limits: KafkaLimits
  #producer: Promise<Producer> | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor(kafka: Kafka, limits: KafkaLimits) {
    this.#kafka = kafka
    this.#limits = limits
  }

  /** @returns the offset of each message. @throws LogUnavailable: any of them may be there */
  append(topic: string, messages: readonly LogMessage[]): Promise<readonly number[]> {
    const appended = this.#last.then(() => this.#appendNow(topic, messages))
    this.#last = appended.catch(() => {})
    return appended
  }

  async close(): Promise<void> {
    await this.#last
    const producer = this.#producer
    this.#producer = null
    await producer?.then((connected) => connected.disconnect()).catch(() => {})
  }

  async #appendNow(topic: string, messages: readonly LogMessage[]): Promise<readonly number[]> {
    const offsets: number[] = []
    for (const batch of recordBatches(messages, this.#limits.batchBytesMax)) {
      const first = await this.#send(topic, batch)
      offsets.push(...batch.map((_, at) => first + at))
    }
    return offsets
  }

  async #send(topic: string, batch: readonly LogMessage[]): Promise<number> {
    this.#producer ??= this.#connected()
    const producer = this.#producer
    const what = `appending to topic ${topic}`
    const bytes = bytesOf(batch)
    const isSmall = bytes < this.#limits.compressedBytesMin
    try {
      const sent = producer.then((connected) =>
        connected.send({
          topic,
          acks: -1,
          timeout: this.#limits.requestTimeoutMs,
          compression: isSmall ? CompressionTypes.None : CompressionTypes.GZIP,
          messages: batch.map(recordOf),
        }),
      )
      const [record] = await withTimeout(this.#limits.callTimeoutMs, what, sent)
      return offsetIn(record?.baseOffset)
    } catch (error) {
      // Its next messages would take the numbers of these, which brokers may hold: they would be
      // taken for these told twice, and be dropped.
      this.#producer = null
      producer.then((connected) => connected.disconnect()).catch(() => {})
      if (typeOf(error) === 'MESSAGE_TOO_LARGE') throw tooLarge(topic, bytes)
      throw kafkaError(what, error)
    }
  }

  async #connected(): Promise<Producer> {
    const producer = this.#kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      retry: retryOf(this.#limits),
    })
    await producer.connect()
    return producer
  }
}

function offsetIn(baseOffset: string | undefined): number {
  const offset = Number(baseOffset)
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw new Error(`the broker gave offset ${baseOffset} to what was appended`)
  }
  return offset
}

const tooLarge = (topic: string, bytes: number) =>
  new Error(
    `topic ${topic} refuses a batch of ${bytes} bytes (before compression): ` +
      'raise its max.message.bytes as `foldscan topics check` says',
  )

const recordOf = ({ key, value, headers }: LogMessage) => ({
  key,
  value: Buffer.from(value.buffer, value.byteOffset, value.byteLength),
  partition: 0,
  ...(headers === undefined ? {} : { headers: { ...headers } }),
})
