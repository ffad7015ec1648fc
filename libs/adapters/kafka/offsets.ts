import type { Admin, Kafka } from 'kafkajs'
import pRetry from 'p-retry'
import type { OffsetRange } from '../../ports/event-log.ts'
import { type KafkaAccess, type KafkaLimits, withCallTimeout } from './kafka-client.ts'
import { isTransient, kafkaError } from './kafka-error.ts'
import { withAdmin } from './with-admin.ts'

/** Fetches the offset ranges of topics from the brokers, uncached. Connects lazily. */
export class TopicOffsets {
  readonly #kafka: Kafka
  readonly #limits: KafkaLimits
  #admin: Promise<Admin> | null = null

  constructor(kafka: Kafka, limits: KafkaLimits) {
    this.#kafka = kafka
    this.#limits = limits
  }

  /** @throws LogUnavailable */
  async range(topic: string): Promise<OffsetRange> {
    const { callTimeoutMs } = this.#limits
    const what = `fetching offsets of topic ${topic}`
    try {
      return await withCallTimeout(callTimeoutMs, what, this.#fetchWithRetries(topic))
    } catch (error) {
      throw kafkaError(what, error)
    }
  }

  /** Retries after a leader change or a closed connection. */
  #fetchWithRetries(topic: string): Promise<OffsetRange> {
    const { requestAttemptsMax, retryMs, callTimeoutMs } = this.#limits
    return pRetry(() => this.#fetch(topic), {
      retries: requestAttemptsMax - 1,
      minTimeout: retryMs * 2,
      maxRetryTime: callTimeoutMs,
      shouldRetry: ({ error }) => isTransient(error),
    })
  }

  async #fetch(topic: string): Promise<OffsetRange> {
    this.#admin ??= this.#connected()
    const admin = this.#admin
    try {
      const [partition] = await (await admin).fetchTopicOffsets(topic)
      if (partition === undefined) throw new Error(`topic ${topic} has no partition`)
      return { begin: Number(partition.low), end: Number(partition.high) }
    } catch (error) {
      // Its metadata may be stale: the next call uses a new client.
      void this.#disconnect(admin)
      throw error
    }
  }

  async close(): Promise<void> {
    const admin = this.#admin
    if (admin !== null) await this.#disconnect(admin)
  }

  async #connected(): Promise<Admin> {
    const admin = this.#kafka.admin()
    await admin.connect()
    return admin
  }

  async #disconnect(admin: Promise<Admin>): Promise<void> {
    if (this.#admin === admin) this.#admin = null
    await admin.then((connected) => connected.disconnect()).catch(() => {})
  }
}

interface GroupOnTopic {
  readonly groupId: string
  readonly topic: string
}

/**
 * Committed offset of each group on its topic, in the order of the groups; committed every few
 * seconds, for monitoring. Null if none is committed.
 *
 * @throws LogUnavailable
 */
export const groupOffsets = (
  of: KafkaAccess,
  groups: readonly GroupOnTopic[],
): Promise<readonly (number | null)[]> =>
  withAdmin(of, 'fetching the committed offsets of consumer groups', async (admin) => {
    const committed: (number | null)[] = []
    for (const { groupId, topic } of groups) {
      const [found] = await admin.fetchOffsets({ groupId, topics: [topic] })
      const offset = Number(found?.partitions[0]?.offset ?? -1)
      committed.push(offset < 0 ? null : offset)
    }
    return committed
  })
