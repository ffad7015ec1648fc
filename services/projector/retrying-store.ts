import pRetry from 'p-retry'
import { type Store, StoreUnavailable } from '../../libs/ports/store.ts'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import type { ProjectorLimits } from './limits.ts'

/**
 * A store whose inserts and questions are tried again while it is away, with back-off, up to
 * `storeAttemptsMax` times. An insert that was acknowledged unheard is written twice: harmless.
 */
export function retryingStore(
  store: Store,
  limits: ProjectorLimits,
  { signals, signal, group }: { signals: Log; signal: AbortSignal; group: string },
): Store {
  const retried = <T>(attempt: () => Promise<T>): Promise<T> =>
    pRetry(attempt, {
      retries: limits.storeAttemptsMax - 1,
      minTimeout: limits.storeRetryMs,
      maxTimeout: limits.storeRetryMaxMs,
      factor: 2,
      shouldRetry: ({ error }) => error instanceof StoreUnavailable && !signal.aborted,
      onFailedAttempt: ({ error, attemptNumber }) => {
        if (!(error instanceof StoreUnavailable)) return
        const fields = { event: events.projector.retried, group, page: runbooks.engineAway }
        signals.warn(fields, `${group}: attempt ${attemptNumber} failed: ${error.message}`)
      },
    })
  return {
    insert: (table, columns, rows) => retried(() => store.insert(table, columns, rows)),
    query: (sql, parameters, onCost) => retried(() => store.query(sql, parameters, onCost)),
    execute: (sql) => store.execute(sql),
    close: () => store.close(),
  }
}
