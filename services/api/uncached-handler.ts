import type { HttpHandler } from '../../libs/ports/http.ts'
import type { Log } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import type { InvalidationClock } from './clock/invalidation-clock.ts'
import { apiHandler, type Sources } from './handler.ts'
import { PageLoads } from './pages/page-loads.ts'
import { Pages } from './pages/pages.ts'
import { sharedRowsOf } from './rows/shared-rows.ts'

interface UncachedOptions {
  /** Of the API, whose pages and rows are not taken. */
  readonly sources: Omit<Sources, 'pages' | 'shared'>
  readonly clock: InvalidationClock
  readonly log: Log
}

/** Rows are kept as long as the handler, which is one round of an audit. */
const cachedRowsMax = 1_000

/**
 * The API on what the tables have now: it takes no page or row from the caches of clients, and
 * leaves none there. Its requests are in no metric of the process, and under no limit.
 */
export function uncachedHandler({ sources, clock, log }: UncachedOptions): HttpHandler {
  const metrics = startMetrics()
  const { run, head } = sources
  // No step: what is shown is as of the head.
  const window = () => null
  const pages = new Pages({
    ...{ clock, head, window, metrics, loads: new PageLoads() },
    // Smaller than any page.
    bytesMax: 1,
    version: 'uncached',
  })
  const options = { run, clock, metrics, window, cachedRowsMax, filteredSubjectsMax: 1 }
  const shared = sharedRowsOf(options).rows
  return apiHandler({ sources: { ...sources, pages, shared }, log, metrics })
}
