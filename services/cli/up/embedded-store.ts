import { join } from 'node:path'
import pRetry from 'p-retry'
import { Availability } from '../../../libs/adapters/clickhouse/availability.ts'
import { clickhouseStore } from '../../../libs/adapters/clickhouse/clickhouse-store.ts'
import { type Engine, startEngine } from '../../../libs/adapters/clickhouse/embedded-engine.ts'
import { measuredStore } from '../../../libs/adapters/clickhouse/measured-store.ts'
import {
  withAvailability,
  withCircuitBreaker,
} from '../../../libs/adapters/clickhouse/with-circuit-breaker.ts'
import type { Store } from '../../../libs/ports/store.ts'
import { declaredQueries } from '../../../libs/queries/reading/query.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import { migrate } from '../../../libs/tables/migrate.ts'
import { allTables } from '../../../libs/tables/tables/all-tables.ts'
import type { Components } from '../process/run-until-stopped.ts'

const database = 'foldscan'

interface EmbeddedStoreOptions {
  /** The data folder, absolute. */
  readonly folder: string
  readonly log: Log
  readonly metrics: Metrics
  readonly components: Components
}

export interface EmbeddedStore {
  /** For those who write. */
  readonly store: Store
  /** For those who answer readers. */
  readonly guarded: Store
}

/** The engine as a child process, with its tables as they should be. */
export async function openEmbeddedStore({
  folder,
  log,
  metrics,
  components,
}: EmbeddedStoreOptions): Promise<EmbeddedStore> {
  const engine = await startEngineIn(join(folder, 'engine'), log)
  const { url, username, password } = engine
  components.add({ name: 'engine', stop: () => engine.stop(), failed: engine.exited })
  const first = clickhouseStore({ url, username, password, database: 'default' })
  await first.execute(`CREATE DATABASE IF NOT EXISTS ${database} ENGINE = Atomic`)
  await first.close()
  const opened = clickhouseStore({ url, username, password, database })
  const store = measuredStore(opened, metrics, {
    queries: declaredQueries().map(({ name }) => name),
    tables: allTables.map(({ stored }) => stored),
  })
  components.add({ name: 'store', stop: () => store.close() })
  await migrate(store)
  const availability = new Availability({ store, url, log, metrics })
  components.add({ name: 'availability of the store', stop: async () => availability.stop() })
  return {
    store: withAvailability(store, availability),
    guarded: withCircuitBreaker(store, availability),
  }
}

/** How long an engine may outlive the process that was killed above it. */
const orphanTimeoutMs = 15_000
const orphanPollMs = 100

/**
 * The data folder is locked by us: an engine that still uses it belongs to a process that was
 * killed a moment ago, and follows it as soon as it notices.
 */
export const startEngineIn = (folder: string, log: Log): Promise<Engine> =>
  pRetry(() => startEngine({ folder, log }), {
    retries: orphanTimeoutMs / orphanPollMs,
    maxRetryTime: orphanTimeoutMs,
    minTimeout: orphanPollMs,
    factor: 1,
    shouldRetry: ({ error }) => /another engine is using/i.test(error.message),
    onFailedAttempt: ({ attemptNumber }) =>
      log.debug(
        { event: events.engine.retried, attemptNumber },
        'waiting for an orphaned engine to exit',
      ),
  })
