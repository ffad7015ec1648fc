import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs'
import { LogUnavailable } from '../../ports/event-log.ts'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import { pause } from '../../signals/pause.ts'
import { type Claim, furthestReader } from './furthest-reader.ts'
import { type KafkaLimits, retryOf, withCallTimeout } from './kafka-client.ts'
import { isTransient, kafkaError } from './kafka-error.ts'
import { RestartLog } from './restart-log.ts'

/** Receives the batches and events of a consumer. */
export interface ConsumerListener {
  readonly claim: Claim
  /** The next offset to read. */
  readonly next: number
  joined(isReading: boolean): void
  /** Resolves when there is room for more. */
  take(payload: EachBatchPayload): Promise<void>
  /** An empty batch: compacted away, or of an aborted transaction. */
  passed(first: number | null, last: number): void
  /** The consumer has failed for good. */
  failed(error: Error): void
}

export interface ConsumerOptions {
  readonly kafka: Kafka
  readonly topic: string
  /** Called for each new consumer; a new id avoids waiting for the session of a dead member. */
  readonly groupIdOf: () => string
  readonly limits: KafkaLimits
  /** Of one answer, compressed. */
  readonly fetchBytesMax: number
  readonly log: Log
  readonly listener: ConsumerListener
}

const looksPerStall = 10

/**
 * A consumer of one topic that reads from given offsets, not from the committed ones. It is
 * recreated when it has crashed or stalled.
 */
export class TopicConsumer {
  readonly #parts: ConsumerOptions
  readonly #log: RestartLog
  readonly #stopping = new AbortController()
  /** The current consumer; events of earlier ones are ignored. */
  #current: Consumer | null = null
  #joined: Consumer | null = null
  #groupId = ''
  #activeAt = 0
  #running: Promise<void> = Promise.resolve()

  constructor(parts: ConsumerOptions) {
    this.#parts = parts
    this.#log = new RestartLog(parts.topic, parts.log)
  }

  start(): void {
    this.#running = this.#run()
  }

  /** No-op before it has joined the group: it then seeks to the listener's next offset. */
  seek(offset: number): void {
    const { topic } = this.#parts
    this.#joined?.seek({ topic, partition: 0, offset: `${offset}` })
  }

  /** For monitoring only: committed offsets are never read. */
  commit(offset: number): void {
    const { topic } = this.#parts
    const { log } = this.#parts
    this.#joined
      ?.commitOffsets([{ topic, partition: 0, offset: `${offset}` }])
      .catch((error: unknown) => {
        const fields = { event: events.log.clientMessage, topic, error }
        log.debug(fields, `could not commit offset ${offset} of topic ${topic}`)
      })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { topic, limits, listener } = this.#parts
    const { signal } = this.#stopping
    let pauseMs = limits.retryMs
    while (!signal.aborted) {
      const consumer = this.#createConsumer()
      this.#current = consumer
      try {
        await this.#runOnce(consumer)
      } catch (error) {
        if (signal.aborted) break
        const failure = kafkaError(`reading topic ${topic}`, error)
        if (!isTransient(error) && !(failure instanceof LogUnavailable))
          return listener.failed(failure)
        // It had joined in between, so this is a new failure: the backoff starts over.
        pauseMs = this.#joined === null ? Math.min(pauseMs * 2, limits.retryMaxMs) : limits.retryMs
        this.#log.restarting(failure, pauseMs)
        await pause(pauseMs, signal)
      } finally {
        this.#current = null
        this.#joined = null
        const left = consumer.disconnect()
        await withCallTimeout(limits.closeTimeoutMs, 'leaving', left).catch(() => {})
      }
    }
  }

  #createConsumer(): Consumer {
    const { kafka, groupIdOf, topic, limits, listener, fetchBytesMax } = this.#parts
    this.#groupId = groupIdOf()
    return kafka.consumer({
      groupId: this.#groupId,
      partitionAssigners: [furthestReader(topic, () => listener.claim)],
      sessionTimeout: limits.sessionTimeoutMs,
      rebalanceTimeout: limits.rebalanceTimeoutMs,
      heartbeatInterval: limits.heartbeatIntervalMs,
      maxBytesPerPartition: fetchBytesMax,
      maxBytes: fetchBytesMax,
      maxWaitTimeInMs: limits.fetchWaitMs,
      minBytes: 1,
      allowAutoTopicCreation: false,
      // A restarting consumer that was abandoned would join again, in addition to its successor.
      retry: { ...retryOf(limits), restartOnFailure: async () => false },
    })
  }

  /** Resolves when it is stopped. @throws what ended it */
  async #runOnce(consumer: Consumer): Promise<void> {
    const { topic, listener } = this.#parts
    const { ended, end } = this.#ended(consumer)
    this.#listen(consumer)
    try {
      const begun = async () => {
        await consumer.connect()
        // From the beginning: an offset out of range must not skip stored messages.
        await consumer.subscribe({ topics: [topic], fromBeginning: true })
        await consumer.run({
          // With it, kafkajs commits each seek.
          autoCommit: false,
          eachBatchAutoResolve: false,
          eachBatch: async (payload) => {
            if (this.#current === consumer) await listener.take(payload)
          },
        })
      }
      await Promise.race([ended, begun()])
      await ended
    } finally {
      end()
    }
  }

  #listen(consumer: Consumer): void {
    const { topic, listener } = this.#parts
    const { GROUP_JOIN, FETCH_START, HEARTBEAT, START_BATCH_PROCESS, STOP } = consumer.events
    const active = () => {
      if (this.#current === consumer) this.#activeAt = performance.now()
    }
    active()
    consumer.on(FETCH_START, active)
    consumer.on(HEARTBEAT, active)
    consumer.on(STOP, () => {
      if (this.#current === consumer) this.#joined = null
    })
    consumer.on(GROUP_JOIN, ({ payload }) => {
      // It was abandoned while joining.
      if (this.#current !== consumer) return void consumer.disconnect().catch(() => {})
      active()
      const isReading = payload.memberAssignment[topic]?.includes(0) === true
      this.#log.joined(this.#groupId, isReading)
      listener.joined(isReading)
      this.#joined = consumer
      // Before the first fetch: kafkajs would start at the committed offset.
      if (isReading) this.seek(listener.next)
    })
    consumer.on(START_BATCH_PROCESS, ({ payload }) => {
      const { batchSize, firstOffset, lastOffset } = payload
      if (batchSize > 0 || this.#current !== consumer) return
      listener.passed(firstOffset === null ? null : Number(firstOffset), Number(lastOffset))
    })
  }

  /** Rejects with what ended the consumer for good; resolves when it is stopped. */
  #ended(consumer: Consumer): { ended: Promise<void>; end: () => void } {
    const { topic, limits } = this.#parts
    const { signal } = this.#stopping
    const { promise: ended, resolve: end, reject } = withResolvers()
    ended.catch(() => {})
    signal.addEventListener('abort', end, { once: true })
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      reject(payload.error)
    })
    const look = setInterval(() => {
      if (performance.now() - this.#activeAt < limits.stallTimeoutMs) return
      reject(
        new LogUnavailable(
          `the consumer of topic ${topic} has not fetched for ${limits.stallTimeoutMs} ms`,
        ),
      )
    }, limits.stallTimeoutMs / looksPerStall)
    return {
      ended,
      end: () => {
        clearInterval(look)
        signal.removeEventListener('abort', end)
      },
    }
  }
}

function withResolvers(): {
  promise: Promise<void>
  resolve: () => void
  reject: (error: Error) => void
} {
  let resolve: () => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}
