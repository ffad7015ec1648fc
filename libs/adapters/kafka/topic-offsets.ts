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
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#heldNow(topic)
      } catch (error) {
        // A leader that has just changed, or a connection that the brokers gave up.
        if (!isPassing(error) || attempt === this.#limits.requestAttemptsMax) {
          throw kafkaFailure(asking(topic), error)
        }
        await pause(this.#limits.retryMs * 2 ** attempt)
      }
    }
  }

  async #heldNow(topic: string): Promise<Held> {
    this.#admin ??= this.#connected()
    const admin = this.#admin
    try {
      const asked = admin.then((connected) => connected.fetchTopicOffsets(topic))
      const [partition] = await within(this.#limits.callTimeoutMs, asking(topic), asked)
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

const asking = (topic: string): string => `asking what topic ${topic} holds`
