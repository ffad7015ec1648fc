import type { EventLog } from '../../libs/ports/event-log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'

/**
 * Measures each append, attempts that fail included.
 *
 * @param topics those that this process appends to: their metrics are there before the first one
 */
export function measuredLog(
  eventLog: EventLog,
  metrics: Pick<Metrics, 'appendSeconds'>,
  topics: readonly string[],
): EventLog {
  for (const topic of topics) metrics.appendSeconds.durationsOf(topic)
  return {
    async append(topic, messages) {
      const startedAt = performance.now()
      try {
        return await eventLog.append(topic, messages)
      } finally {
        metrics.appendSeconds.durationsOf(topic).observe((performance.now() - startedAt) / 1_000)
      }
    },
    read: (topic, offset, limit) => eventLog.read(topic, offset, limit),
    begin: (topic) => eventLog.begin(topic),
    end: (topic) => eventLog.end(topic),
    waitBeyond: (topic, offset, signal) => eventLog.waitBeyond(topic, offset, signal),
    close: () => eventLog.close(),
  }
}
