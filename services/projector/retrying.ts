import pRetry from 'p-retry'
import type { EventName } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Runbook } from '../../libs/signals/runbooks.ts'

/** What is retried, how often, and what is logged for each failure. */
export interface Retrying {
  readonly group: string
  readonly signals: Log
  /** No further attempt once it has aborted. */
  readonly signal: AbortSignal
  readonly attemptsMax: number
  readonly retryMs: number
  readonly retryMaxMs: number
  readonly onRetry?: () => void
  readonly isWorthIt: (error: unknown) => boolean
  readonly event: EventName
  readonly runbook: Runbook
}

export type Retried = <T>(attempt: () => Promise<T>) => Promise<T>

/** Makes calls that are tried again, with back-off, up to `attemptsMax` times. */
export function retrying(bounds: Retrying): Retried {
  const { group, signals, signal, isWorthIt, event, runbook } = bounds
  return (attempt) =>
    pRetry(attempt, {
      retries: bounds.attemptsMax - 1,
      minTimeout: bounds.retryMs,
      maxTimeout: bounds.retryMaxMs,
      factor: 2,
      shouldRetry: ({ error }) => isWorthIt(error) && !signal.aborted,
      onFailedAttempt: ({ error, attemptNumber }) => {
        if (!isWorthIt(error) || signal.aborted) return
        bounds.onRetry?.()
        const fields = { event, group, runbook }
        signals.warn(fields, `${group}: attempt ${attemptNumber} failed: ${error.message}`)
      },
    })
}
