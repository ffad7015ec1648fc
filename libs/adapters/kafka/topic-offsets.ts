import { setTimeout as pause } from 'node:timers/promises'
import type { Admin, Kafka } from 'kafkajs'
import type { Held } from '../../ports/event-log.ts'
import { isPassing, kafkaFailure } from './kafka-failure.ts'
import type { KafkaLimits } from './kafka-limits.ts'
import { within } from './within.ts'

/** Asks the brokers, each time, what their topics hold. Connects with the first question. */
export class TopicOffsets {
  readonly #kafka: Kafka
  readonly #limits: KafkaLimits
  #admin: Promise<Admin> | null = null

  constructor(kafka: Kafka, limits: KafkaLimits) {
    this.#kafka = kafka
    this.#limits = limits
  }

  /** @throws LogUnavailable */
  async held(topic: string): Promise<Held> {
    const { callTimeoutMs } = this.#limits
    const what = `asking what topic ${topic} holds`
    try {
      return await within(callTimeoutMs, what, this.#asked(topic, performance.now()))
    } catch (error) {
      throw kafkaFailure(what, error)
    }
  }

  /** Again where a leader has just changed, or the brokers gave up a connection. */
  async #asked(topic: string, since: number): Promise<Held> {
    const { requestAttemptsMax, retryMs, callTimeoutMs } = this.#limits
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#ask(topic)
      } catch (error) {
        const isLate = performance.now() - since > callTimeoutMs
        if (!isPassing(error) || isLate || attempt === requestAttemptsMax) throw error
        await pause(retryMs * 2 ** attempt)
      }
    }
  }

  async #ask(topic: string): Promise<Held> {
    this.#admin ??= this.#connected()
    const admin = this.#admin
    try {
      const [partition] = await (await admin).fetchTopicOffsets(topic)
      if (partition === undefined) throw new Error(`topic ${topic} has no partition`)
      return { begin: Number(partition.low), end: Number(partition.high) }
    } catch (error) {
      // Its view of who leads a partition may be old: the next question begins anew.
      void this.#leave(admin)
      throw error
    }
  }

  async close(): Promise<void> {
    const admin = this.#admin
    if (admin !== null) await this.#leave(admin)
  }

  async #connected(): Promise<Admin> {
    const admin = this.#kafka.admin()
    await admin.connect()
    return admin
  }

  async #leave(admin: Promise<Admin>): Promise<void> {
    if (this.#admin === admin) this.#admin = null
    await admin.then((connected) => connected.disconnect()).catch(() => {})
  }
}
