import { type EventLog, LogUnavailable } from '../../libs/ports/event-log.ts'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import type { DecodedReader } from './decoded-reader.ts'
import type { ProjectorLimits } from './limits.ts'
import { type Retried, retrying } from './retrying.ts'

/** Reports what is retried, and how often. */
interface Saying {
  readonly signals: Log
  readonly signal: AbortSignal
  readonly group: string
  readonly metrics?: Pick<Metrics, 'logRetries'> | undefined
}

/** Retries while the log is unavailable, with backoff, up to `logAttemptsMax` times. */
export function retryingWhileLogIsAway(limits: ProjectorLimits, saying: Saying): Retried {
  saying.metrics?.logRetries.inc({ part: saying.group }, 0)
  return retrying({
    ...saying,
    attemptsMax: limits.logAttemptsMax,
    retryMs: limits.logRetryMs,
    retryMaxMs: limits.logRetryMaxMs,
    isWorthIt: (error) => error instanceof LogUnavailable,
    onRetry: () => saying.metrics?.logRetries.inc({ part: saying.group }),
    event: events.projector.retried,
    runbook: runbooks.logAway,
  })
}

/** An append whose response was lost is repeated: announcements are at least once. */
export function retryingLog(log: EventLog, retried: Retried): EventLog {
  return {
    append: (topic, messages) => retried(() => log.append(topic, messages)),
    read: (topic, offset, limit) => retried(() => log.read(topic, offset, limit)),
    begin: (topic) => retried(() => log.begin(topic)),
    end: (topic) => retried(() => log.end(topic)),
    waitBeyond: (topic, offset, signal) => retried(() => log.waitBeyond(topic, offset, signal)),
    close: () => log.close(),
  }
}

export const retryingReader = (reader: DecodedReader, retried: Retried): DecodedReader => ({
  read: (offset, limit, signal) => retried(() => reader.read(offset, limit, signal)),
  whole: (whole) => retried(() => reader.whole(whole)),
})
