import { atMostEvery, warnEveryMs } from '../../signals/at-most-every.ts'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import { runbooks } from '../../signals/runbooks.ts'

/** What a consumer logs of its restarts: one warning a minute at most, and one line afterwards. */
export class RestartLog {
  readonly #topic: string
  readonly #log: Log
  /** Since it last joined its group. */
  #restarts = 0
  readonly #isWarningDue = atMostEvery(warnEveryMs)
  /** Whether it has read again since the warning is not logged yet. */
  #isWarned = false

  constructor(topic: string, log: Log) {
    this.#topic = topic
    this.#log = log
  }

  /** One a minute is a warning, the others are for debugging. */
  restarting(error: Error, pauseMs: number): void {
    const topic = this.#topic
    this.#restarts += 1
    const restarts = this.#restarts
    const event = events.log.readerCrashed
    const fields = { event, topic, pauseMs, restarts, runbook: runbooks.kafkaUnavailable }
    const sentence = `restarting the consumer of topic ${topic}: ${error.message}`
    if (!this.#isWarningDue()) {
      this.#log.debug(fields, sentence)
      return
    }
    this.#isWarned = true
    this.#log.warn(fields, sentence)
  }

  joined(groupId: string, isReading: boolean): void {
    const topic = this.#topic
    const restarts = this.#restarts
    const isWarned = this.#isWarned
    this.#restarts = 0
    this.#isWarned = false
    if (!isReading) {
      const fields = { event: events.log.standingBy, topic, groupId }
      const sentence = `another member of group ${groupId} reads topic ${topic}: standing by`
      this.#log.info(fields, sentence)
      return
    }
    const fields = { event: events.log.joined, topic, groupId, restarts }
    if (!isWarned) {
      this.#log.debug(fields, `reads topic ${topic} in group ${groupId}`)
      return
    }
    const times = restarts === 1 ? 'one restart' : `${restarts} restarts`
    this.#log.info(fields, `reads topic ${topic} again, after ${times} of its consumer`)
  }
}
