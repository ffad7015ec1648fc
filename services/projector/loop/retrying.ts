import pRetry from 'p-retry'
import { type EventLog, LogUnavailable } from '../../../libs/ports/event-log.ts'
import { QuorumLost, type Store, StoreUnavailable } from '../../../libs/ports/store.ts'
import { atMostEvery, warnEveryMs } from '../../../libs/signals/at-most-every.ts'
import { type EventName, events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import { type Runbook, runbooks } from '../../../libs/signals/runbooks.ts'
import type { DecodedReader } from '../reading/decoded-reader.ts'
import type { ProjectorLimits } from './limits.ts'

/** What is retried, how often, and what is logged for each failure. */
interface Retrying {
  readonly group: string
  readonly log: Log
  /** No further attempt once it has aborted. */
  readonly signal: AbortSignal
  /** No further attempt after so many. */
  readonly attemptsMax: () => number
  readonly retryMs: number
  readonly retryMaxMs: number
  readonly onRetry?: () => void
  readonly isWorthIt: (error: unknown) => boolean
  readonly event: EventName
  readonly runbookOf: (error: unknown) => Runbook
}

type Retried = <T>(attempt: () => Promise<T>) => Promise<T>

/** Makes calls that are tried again, with back-off. Of failures one a minute is a warning. */
function retrying(bounds: Retrying): Retried {
  const { group, log, signal, isWorthIt, event, runbookOf } = bounds
  const isWarningDue = atMostEvery(warnEveryMs)
  // Without `signal`: p-retry would drop the result of an attempt that succeeds after the abort.
  return (attempt) =>
    pRetry(attempt, {
      retries: Number.POSITIVE_INFINITY,
      minTimeout: bounds.retryMs,
      maxTimeout: bounds.retryMaxMs,
      factor: 2,
      shouldRetry: ({ error, attemptNumber }) =>
        isWorthIt(error) && !signal.aborted && attemptNumber < bounds.attemptsMax(),
      onFailedAttempt: ({ error, attemptNumber }) => {
        if (!isWorthIt(error) || signal.aborted) return
        bounds.onRetry?.()
        const fields = { event, group, runbook: runbookOf(error) }
        const level = isWarningDue() ? 'warn' : 'debug'
        log[level](fields, `${group}: attempt ${attemptNumber} failed: ${error.message}`)
      },
    })
}

/** Reports what is retried, and how often. */
interface RetryOptions {
  readonly log: Log
  readonly signal: AbortSignal
  readonly group: string
  readonly metrics?: Pick<Metrics, 'logRetries'> | undefined
}

/** Retries while the log is unavailable, with backoff. */
function retryingWhileLogIsAway(
  limits: ProjectorLimits,
  retryOptions: RetryOptions & { readonly attemptsMax: () => number },
): Retried {
  retryOptions.metrics?.logRetries.inc({ part: retryOptions.group }, 0)
  return retrying({
    ...retryOptions,
    retryMs: limits.logRetryMs,
    retryMaxMs: limits.logRetryMaxMs,
    isWorthIt: (error) => error instanceof LogUnavailable,
    onRetry: () => retryOptions.metrics?.logRetries.inc({ part: retryOptions.group }),
    event: events.projector.retried,
    runbookOf: () => runbooks.kafkaUnavailable,
  })
}

/**
 * The log and the store of a group; each call is repeated while its server is unavailable. A log
 * that has never been read is given up after `logAttemptsMax` attempts: its address may be wrong.
 * One that has been read comes back: what is folded stays where it is, and goes on at once.
 */
export function retryingPorts(
  { eventLog, store }: { readonly eventLog: EventLog; readonly store: Store },
  limits: ProjectorLimits,
  retryOptions: RetryOptions,
): { readonly eventLog: EventLog; readonly store: Store; readonly read: Retried } {
  let isRead = false
  const attemptsMax = () => (isRead ? Number.POSITIVE_INFINITY : limits.logAttemptsMax)
  const retried = retryingWhileLogIsAway(limits, { ...retryOptions, attemptsMax })
  const read: Retried = async (attempt) => {
    const result = await retried(attempt)
    isRead = true
    return result
  }
  return {
    eventLog: retryingLog(eventLog, { retried, read }),
    store: retryingStore(store, limits, retryOptions),
    read,
  }
}

/** An append whose response was lost is repeated: announcements are at least once. */
function retryingLog(
  eventLog: EventLog,
  { retried, read }: { readonly retried: Retried; readonly read: Retried },
): EventLog {
  return {
    append: (topic, messages) => retried(() => eventLog.append(topic, messages)),
    read: (topic, offset, limit) => read(() => eventLog.read(topic, offset, limit)),
    begin: (topic) => retried(() => eventLog.begin(topic)),
    end: (topic) => retried(() => eventLog.end(topic)),
    waitBeyond: (topic, offset, signal) =>
      retried(() => eventLog.waitBeyond(topic, offset, signal)),
    close: () => eventLog.close(),
  }
}

export const retryingReader = (reader: DecodedReader, read: Retried): DecodedReader => ({
  read: (offset, limit, signal) => read(() => reader.read(offset, limit, signal)),
  whole: (whole) => read(() => reader.whole(whole)),
})

/**
 * Retries inserts, queries and statements while the store is unavailable, with backoff, up to
 * `storeAttemptsMax` times. An insert whose response was lost is written twice, which is harmless.
 */
export function retryingStore(
  store: Store,
  limits: ProjectorLimits,
  retryOptions: Omit<RetryOptions, 'metrics'>,
): Store {
  const retried = retrying({
    ...retryOptions,
    attemptsMax: () => limits.storeAttemptsMax,
    retryMs: limits.storeRetryMs,
    retryMaxMs: limits.storeRetryMaxMs,
    isWorthIt: (error) => error instanceof StoreUnavailable,
    event: events.projector.retried,
    runbookOf: (error) =>
      error instanceof QuorumLost ? runbooks.quorumLost : runbooks.clickhouseUnavailable,
  })
  return {
    insert: (table, columns, rows) => retried(() => store.insert(table, columns, rows)),
    query: (sql, parameters, options) => retried(() => store.query(sql, parameters, options)),
    // Deletions only: idempotent.
    execute: (sql) => retried(() => store.execute(sql)),
    ping: (signal) => store.ping(signal),
    close: () => store.close(),
  }
}
