import type { EachBatchPayload, IHeaders, KafkaMessage } from 'kafkajs'
import {
  type Held,
  LogUnavailable,
  OffsetLost,
  type ReadLimit,
  type StoredMessage,
} from '../../ports/event-log.ts'
import { Arrived } from './arrived.ts'
import type { Claim } from './furthest-reader.ts'
import { type ConsumerParts, type Hearer, TopicConsumer } from './topic-consumer.ts'
import { Wakers } from './wakers.ts'

export interface ReaderParts extends Omit<ConsumerParts, 'hearer'> {
  /** Its group outlives the process: what it has read is told to those who watch the group. */
  readonly isStable: boolean
  readonly held: (topic: string) => Promise<Held>
  readonly failed: (error: Error) => void
}

/** Between two looks at a topic that gives other messages than those asked for. */
const misplacedPauseMs = 200

/** Reads one topic where it is told, ahead of its reader within a bound. */
export class TopicReader implements Hearer {
  readonly #parts: ReaderParts
  readonly #consumer: TopicConsumer
  readonly #arrived: Arrived
  readonly #arrivals = new Wakers()
  readonly #room = new Wakers()
  #last: Promise<unknown> = Promise.resolve()
  #standing: 'joining' | 'reading' | 'standing by' = 'joining'
  #lostAt: number | null = null
  #failure: Error | null = null
  #isClosed = false
  #telling: NodeJS.Timeout | undefined

  constructor(parts: ReaderParts, offset: number) {
    this.#parts = parts
    this.#arrived = new Arrived(offset)
    this.#consumer = new TopicConsumer({ ...parts, hearer: this })
    this.#consumer.start()
  }

  /** Empty at the end, and while another member of the group reads. */
  read(offset: number, limit: ReadLimit): Promise<readonly StoredMessage[]> {
    const read = this.#last.then(() => this.#readNow(offset, limit))
    this.#last = read.catch(() => {})
    return read
  }

  async waitBeyond(offset: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#isClosed) {
      if (this.#failure !== null) throw this.#failure
      this.#moveTo(offset)
      if (!this.#arrived.isEmpty || this.#lostAt === offset) return
      await this.#arrivals.next({ signal })
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#telling)
    this.#arrivals.wake()
    this.#room.wake()
    await this.#consumer.stop()
  }

  async #readNow(offset: number, limit: ReadLimit): Promise<readonly StoredMessage[]> {
    const { topic, limits } = this.#parts
    this.#moveTo(offset)
    const there = this.#arrived.read(limit)
    if (there.length > 0) return there
    const held = await this.#parts.held(topic)
    if (offset < held.begin || offset > held.end) throw new OffsetLost(topic, offset, held)
    const isOver = () => this.#arrived.next >= held.end || this.#standing === 'standing by'
    const isEnough = () => isOver() || !this.#arrived.isEmpty
    await this.#arrivals.until(() => this.#hasEnded || isEnough(), limits.readTimeoutMs)
    if (this.#failure !== null) throw this.#failure
    if (this.#isClosed) throw new LogUnavailable(`the log is closed: topic ${topic} is not read`)
    if (isEnough()) return this.#arrived.read(limit)
    throw new LogUnavailable(
      `topic ${topic} has messages up to ${held.end}, and gave none from ${offset} on ` +
        `in ${limits.readTimeoutMs} ms`,
    )
  }

  get #hasEnded(): boolean {
    return this.#isClosed || this.#failure !== null
  }

  #moveTo(offset: number): void {
    if (this.#arrived.moveTo(offset)) {
      this.#lostAt = null
      this.#consumer.seek(offset)
    }
    this.#room.wake()
    this.#tellGroup()
  }

  /** Once in a while, and once more after the last time. */
  #tellGroup(): void {
    if (!this.#parts.isStable || this.#telling !== undefined) return
    const tell = () => {
      this.#telling = undefined
      if (this.#standing === 'reading') this.#consumer.commit(this.#arrived.start)
    }
    this.#telling = setTimeout(tell, this.#parts.limits.commitIntervalMs)
    this.#telling.unref()
  }

  get claim(): Claim {
    return { offset: this.#arrived.start, isReading: this.#standing === 'reading' }
  }

  get next(): number {
    return this.#arrived.next
  }

  joined(isReading: boolean): void {
    this.#standing = isReading ? 'reading' : 'standing by'
    // What came is the other's to fold; if our turn comes, it is read again.
    if (!isReading) this.#arrived.clear()
    this.#arrivals.wake()
  }

  passed(first: number | null, last: number): void {
    if ((first ?? last) !== this.#arrived.next) return
    this.#arrived.add([], last + 1)
    this.#arrivals.wake()
  }

  failed(error: Error): void {
    this.#failure = error
    this.#arrivals.wake()
    this.#parts.failed(error)
  }

  async take(payload: EachBatchPayload): Promise<void> {
    const { batch, isStale, isRunning, heartbeat, resolveOffset } = payload
    if (isStale() || this.#standing !== 'reading') return
    const fetched = fetchedOffsetOf(batch)
    if (fetched === null) return this.failed(new Error(unfit))
    if (fetched !== this.#arrived.next) return this.#misplaced(payload)
    this.#arrived.add(batch.messages.map(storedMessage), Number(batch.lastOffset()) + 1)
    resolveOffset(batch.lastOffset())
    this.#arrivals.wake()
    const { aheadBytesMax, heartbeatIntervalMs } = this.#parts.limits
    const isFull = () => this.#arrived.bytes >= aheadBytesMax && !this.#hasEnded && !isStale()
    while (isFull() && isRunning()) {
      await this.#room.until(() => !isFull(), heartbeatIntervalMs)
      // Throws when the group gathers anew: the place is ours, what came stays.
      await heartbeat()
    }
  }

  /** The group, or the topic, has gone elsewhere: another seek, or the offset is lost. */
  async #misplaced({ heartbeat }: EachBatchPayload): Promise<void> {
    const wanted = this.#arrived.next
    const held = await this.#parts.held(this.#parts.topic).catch(() => null)
    if (held !== null && (wanted < held.begin || wanted > held.end)) {
      this.#lostAt = this.#arrived.start
      this.#arrivals.wake()
    }
    this.#consumer.seek(this.#arrived.next)
    await this.#room.until(() => this.#hasEnded, misplacedPauseMs)
    await heartbeat()
  }
}

function storedMessage({ offset, key, value, timestamp, headers }: KafkaMessage): StoredMessage {
  return {
    offset: Number(offset),
    key: key?.toString() ?? '',
    value: value ?? new Uint8Array(),
    ...(Number(timestamp) < 0 ? {} : { time: Number(timestamp) }),
    ...(headers === undefined || Object.keys(headers).length === 0
      ? {}
      : { headers: textHeaders(headers) }),
  }
}

/** A header may be repeated, and its bytes may be anything. */
const textHeaders = (headers: IHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  )

/** kafkajs knows it and does not declare it. Without it, a lost seek would look like a hole. */
function fetchedOffsetOf(batch: EachBatchPayload['batch']): number | null {
  if ('fetchedOffset' in batch && typeof batch.fetchedOffset === 'string') {
    return Number(batch.fetchedOffset)
  }
  return null
}

const unfit = 'this kafkajs does not say from which offset a batch was fetched: take version 2.2.4'
