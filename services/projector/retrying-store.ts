import { type Store, StoreUnavailable } from '../../libs/ports/store.ts'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import type { ProjectorLimits } from './limits.ts'
import { retrying } from './retrying.ts'

/**
 * Retries inserts, queries and statements while the store is unavailable, with backoff, up to
 * `storeAttemptsMax` times. An insert whose response was lost is written twice, which is harmless.
 */
export function retryingStore(
  store: Store,
  limits: ProjectorLimits,
  saying: { signals: Log; signal: AbortSignal; group: string },
): Store {
  const retried = retrying({
    ...saying,
    attemptsMax: limits.storeAttemptsMax,
    retryMs: limits.storeRetryMs,
    retryMaxMs: limits.storeRetryMaxMs,
    isWorthIt: (error) => error instanceof StoreUnavailable,
    event: events.projector.retried,
    runbook: runbooks.engineAway,
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
