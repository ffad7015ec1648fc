import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import { runbooks } from '../../signals/runbooks.ts'

/** Of restarts in a row, one warning in this time; brokers that are away fail each of them. */
const warnEveryMs = 60_000

/** What a consumer logs of its restarts: few lines while brokers are away, and one afterwards. */
export class RestartLog {
  readonly #topic: string
  readonly #signals: Log
  /** In a row, without joining its group. */
  #restarts = 0
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(topic: string, signals: Log) {
    this.#topic = topic
    this.#signals = signals
  }

  /** The first of a row and one a minute are warnings, the others are for debugging. */
  restarting(error: Error, pauseMs: number): void {
    const topic = this.#topic
    this.#restarts += 1
    const restarts = this.#restarts
    const isRecent = restarts > 1 && performance.now() - this.#warnedAt < warnEveryMs
    const event = events.log.readerCrashed
    const fields = { event, topic, pauseMs, restarts, runbook: runbooks.kafkaUnavailable }
    const sentence = `restarting the consumer of topic ${topic}: ${error.message}`
    if (isRecent) {
      this.#signals.debug(fields, sentence)
      return
    }
    this.#warnedAt = performance.now()
    this.#signals.warn(fields, sentence)
  }

  joined(groupId: string, isReading: boolean): void {
    const topic = this.#topic
    const restarts = this.#restarts
    this.#restarts = 0
    if (!isReading) {
      const fields = { event: events.log.standingBy, topic, groupId }
      const sentence = `another member of group ${groupId} reads topic ${topic}: standing by`
      this.#signals.info(fields, sentence)
      return
    }
    const fields = { event: events.log.joined, topic, groupId, restarts }
    if (restarts === 0) {
      this.#signals.debug(fields, `reads topic ${topic} in group ${groupId}`)
      return
    }
    const times = restarts === 1 ? 'one restart' : `${restarts} restarts`
    this.#signals.info(fields, `reads topic ${topic} again, after ${times} of its consumer`)
  }
}
