import type { EachBatchPayload, IHeaders, KafkaMessage } from 'kafkajs'
import {
  LogUnavailable,
  OffsetLost,
  type OffsetRange,
  type ReadLimit,
  type StoredMessage,
} from '../../ports/event-log.ts'
import { FetchBuffer } from './fetch-buffer.ts'
import type { Claim } from './furthest-reader.ts'
import { type ConsumerListener, type ConsumerOptions, TopicConsumer } from './topic-consumer.ts'

interface ReaderOptions extends Omit<ConsumerOptions, 'listener'> {
  /** The group id is stable across restarts: offsets are committed for monitoring. */
  readonly isStable: boolean
  readonly offsetsOf: (topic: string) => Promise<OffsetRange>
  readonly failed: (error: Error) => void
}

/** Pause after a fetch that returned another offset than requested. */
const misplacedPauseMs = 200

/** Reads one topic from given offsets, with bounded read-ahead. */
export class TopicReader implements ConsumerListener {
  readonly #parts: ReaderOptions
  readonly #consumer: TopicConsumer
  readonly #buffer: FetchBuffer
  readonly #received = new Condition()
  readonly #room = new Condition()
  #last: Promise<unknown> = Promise.resolve()
  #membership: 'joining' | 'reading' | 'standing by' = 'joining'
  #lostAt: number | null = null
  #failure: Error | null = null
  #isClosed = false
  #commitTimer: NodeJS.Timeout | undefined

  constructor(parts: ReaderOptions, offset: number) {
    this.#parts = parts
    this.#buffer = new FetchBuffer(offset)
    this.#consumer = new TopicConsumer({ ...parts, listener: this })
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
      if (!this.#buffer.isEmpty || this.#lostAt === offset) return
      await this.#received.next({ signal })
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#commitTimer)
    this.#received.notify()
    this.#room.notify()
    await this.#consumer.stop()
  }

  async #readNow(offset: number, limit: ReadLimit): Promise<readonly StoredMessage[]> {
    const { topic, limits } = this.#parts
    this.#moveTo(offset)
    const there = this.#buffer.read(limit)
    if (there.length > 0) return there
    const held = await this.#parts.offsetsOf(topic)
    if (offset < held.begin || offset > held.end) throw new OffsetLost(topic, offset, held)
    const isOver = () => this.#buffer.next >= held.end || this.#membership === 'standing by'
    const isEnough = () => isOver() || !this.#buffer.isEmpty
    await this.#received.until(() => this.#hasEnded || isEnough(), limits.readTimeoutMs)
    if (this.#failure !== null) throw this.#failure
    if (this.#isClosed) throw new LogUnavailable(`the log is closed: topic ${topic} is not read`)
    if (isEnough()) return this.#buffer.read(limit)
    throw new LogUnavailable(
      `topic ${topic} has messages up to ${held.end}, and returned none from ${offset} on ` +
        `in ${limits.readTimeoutMs} ms`,
    )
  }

  get #hasEnded(): boolean {
    return this.#isClosed || this.#failure !== null
  }

  #moveTo(offset: number): void {
    if (this.#buffer.moveTo(offset)) {
      this.#lostAt = null
      this.#consumer.seek(offset)
    }
    this.#room.notify()
    this.#scheduleCommit()
  }

  /** At most once per interval, and once after the last read. */
  #scheduleCommit(): void {
    if (!this.#parts.isStable || this.#commitTimer !== undefined) return
    const commit = () => {
      this.#commitTimer = undefined
      if (this.#membership === 'reading') this.#consumer.commit(this.#buffer.start)
    }
    this.#commitTimer = setTimeout(commit, this.#parts.limits.commitIntervalMs)
    this.#commitTimer.unref()
  }

  get claim(): Claim {
    return { offset: this.#buffer.start, isReading: this.#membership === 'reading' }
  }

  get next(): number {
    return this.#buffer.next
  }

  joined(isReading: boolean): void {
    this.#membership = isReading ? 'reading' : 'standing by'
    // The other member reads them now; they are fetched again if the partition is reassigned.
    if (!isReading) this.#buffer.clear()
    this.#received.notify()
  }

  passed(first: number | null, last: number): void {
    if ((first ?? last) !== this.#buffer.next) return
    this.#buffer.add([], last + 1)
    this.#received.notify()
  }

  failed(error: Error): void {
    this.#failure = error
    this.#received.notify()
    this.#parts.failed(error)
  }

  async take(payload: EachBatchPayload): Promise<void> {
    const { batch, isStale, isRunning, heartbeat, resolveOffset } = payload
    if (isStale() || this.#membership !== 'reading') return
    const fetched = fetchedOffsetOf(batch)
    if (fetched === null) return this.failed(new Error(unfit))
    if (fetched !== this.#buffer.next) return this.#misplaced(payload)
    this.#buffer.add(batch.messages.map(storedMessage), Number(batch.lastOffset()) + 1)
    resolveOffset(batch.lastOffset())
    this.#received.notify()
    const { aheadBytesMax, heartbeatIntervalMs } = this.#parts.limits
    const isFull = () => this.#buffer.bytes >= aheadBytesMax && !this.#hasEnded && !isStale()
    while (isFull() && isRunning()) {
      await this.#room.until(() => !isFull(), heartbeatIntervalMs)
      // Throws during a rebalance: the buffered messages are kept.
      await heartbeat()
    }
  }

  /** The fetch returned another offset: seek again, or the offset is out of range. */
  async #misplaced({ heartbeat }: EachBatchPayload): Promise<void> {
    const wanted = this.#buffer.next
    const held = await this.#parts.offsetsOf(this.#parts.topic).catch(() => null)
    if (held !== null && (wanted < held.begin || wanted > held.end)) {
      this.#lostAt = this.#buffer.start
      this.#received.notify()
    }
    this.#consumer.seek(this.#buffer.next)
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

/** Not declared in the types of kafkajs. Without it, a lost seek would look like a gap. */
function fetchedOffsetOf(batch: EachBatchPayload['batch']): number | null {
  if ('fetchedOffset' in batch && typeof batch.fetchedOffset === 'string') {
    return Number(batch.fetchedOffset)
  }
  return null
}

const unfit = 'this kafkajs does not report the fetch offset of a batch: use version 2.2.4'

/** Condition variable: waits for notifications. */
class Condition {
  readonly #waiting = new Set<() => void>()

  notify(): void {
    for (const wake of this.#waiting) wake()
  }

  /** Resolves at the next notification, when the signal aborts, or after the timeout. */
  next({ signal, timeoutMs }: { signal?: AbortSignal; timeoutMs?: number }): Promise<void> {
    if (signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = timeoutMs === undefined ? undefined : setTimeout(done, timeoutMs)
      signal?.addEventListener('abort', done, { once: true })
      this.#waiting.add(done)
    })
  }

  /** Resolves when the predicate is true, or after the timeout. */
  async until(isSo: () => boolean, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs
    while (!isSo()) {
      const leftMs = deadline - performance.now()
      if (leftMs <= 0) return
      await this.next({ timeoutMs: leftMs })
    }
  }
}
