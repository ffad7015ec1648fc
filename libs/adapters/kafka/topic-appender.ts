import { CompressionTypes, type Kafka, type Producer } from 'kafkajs'
import type { LogMessage } from '../../ports/event-log.ts'
import { type KafkaLimits, retryOf, withCallTimeout } from './kafka-client.ts'
import { kafkaError, typeOf } from './kafka-error.ts'

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

  /** @returns the offset of each message. @throws LogUnavailable: some of them may be there */
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
      const [record] = await withCallTimeout(this.#limits.callTimeoutMs, what, sent)
      return offsetIn(record?.baseOffset)
    } catch (error) {
      // The next batch would reuse these sequence numbers, which the brokers may have stored: it
      // would be dropped as a duplicate.
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
    throw new Error(`the broker returned offset ${baseOffset} for appended records`)
  }
  return offset
}

const tooLarge = (topic: string, bytes: number) =>
  new Error(
    `topic ${topic} refuses a batch of ${bytes} bytes (before compression): ` +
      'raise its max.message.bytes as `foldscan topics check` prints',
  )

const recordOf = ({ key, value, headers }: LogMessage) => ({
  key,
  value: Buffer.from(value.buffer, value.byteOffset, value.byteLength),
  partition: 0,
  ...(headers === undefined ? {} : { headers: { ...headers } }),
})

/** Of a record beside its key and value: lengths, time, offset; and of a batch, generously. */
const recordOverheadBytes = 64

/** Lengths of a header's name and value. */
const headerOverheadBytes = 10

const sizeOf = ({ key, value, headers = {} }: LogMessage): number =>
  recordOverheadBytes + Buffer.byteLength(key) + value.length + sizeOfHeaders(headers)

function sizeOfHeaders(headers: Readonly<Record<string, string>>): number {
  let bytes = 0
  for (const [name, value] of Object.entries(headers)) {
    bytes += headerOverheadBytes + Buffer.byteLength(name) + Buffer.byteLength(value)
  }
  return bytes
}

/** Bytes of a batch before compression, generously. */
export const bytesOf = (batch: readonly LogMessage[]): number =>
  batch.reduce((sum, message) => sum + sizeOf(message), recordOverheadBytes)

/**
 * Messages in order, in batches that the brokers take whole: kafkajs makes one record batch of
 * each send, and a batch above a topic's `max.message.bytes` is refused.
 */
export function recordBatches(
  messages: readonly LogMessage[],
  batchBytesMax: number,
): readonly (readonly LogMessage[])[] {
  const batches: LogMessage[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const message of messages) {
    const size = sizeOf(message)
    if (bytes + size > batchBytesMax) {
      batches.push([])
      bytes = recordOverheadBytes
    }
    batches.at(-1)?.push(message)
    bytes += size
  }
  return batches
}
