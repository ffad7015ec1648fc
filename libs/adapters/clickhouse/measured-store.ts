import {
  ResultTooLarge,
  type Store,
  StoreBehind,
  StoreOverloaded,
  StoreUnavailable,
  TooManyRows,
} from '../../ports/store.ts'
import type { Metrics } from '../../signals/metrics.ts'

type StoreMetrics = Pick<
  Metrics,
  'querySeconds' | 'queryFailures' | 'insertSeconds' | 'insertFailures'
>

/** What a process sends: their metrics are there before the first of them. */
export interface SentStatements {
  /** Names of queries. */
  readonly queries: readonly string[]
  /** Tables with inserts. */
  readonly tables: readonly string[]
}

/** Measures each statement that has a name, and each insert, attempts that fail included. */
export function measuredStore(
  store: Store,
  metrics: StoreMetrics,
  { queries, tables }: SentStatements,
): Store {
  for (const query of queries) {
    metrics.querySeconds.durationsOf(query)
    for (const reason of reasons) metrics.queryFailures.inc({ query, reason }, 0)
  }
  for (const table of tables) {
    metrics.insertSeconds.durationsOf(table)
    for (const reason of insertReasons) metrics.insertFailures.inc({ table, reason }, 0)
  }
  return {
    ...store,
    async insert(table, columns, rows) {
      const startedAt = performance.now()
      try {
        await store.insert(table, columns, rows)
      } catch (error) {
        const reason = reasonOf(error)
        if (reason !== null) metrics.insertFailures.inc({ table, reason })
        throw error
      } finally {
        metrics.insertSeconds.durationsOf(table).observe(secondsSince(startedAt))
      }
    },
    async query(sql, parameters, options = {}) {
      const { name: query, signal } = options
      if (query === undefined) return store.query(sql, parameters, options)
      const startedAt = performance.now()
      let isCancelled = false
      try {
        return await store.query(sql, parameters, options)
      } catch (error) {
        // How long a client waited before it left says nothing about the server.
        isCancelled = signal?.aborted === true
        const reason = isCancelled ? null : reasonOf(error)
        if (reason !== null) metrics.queryFailures.inc({ query, reason })
        throw error
      } finally {
        if (!isCancelled) metrics.querySeconds.durationsOf(query).observe(secondsSince(startedAt))
      }
    },
  }
}

const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1_000

const insertReasons = ['unavailable', 'failed'] as const
const reasons = ['overloaded', ...insertReasons] as const

/** Null for an answer that makes the caller ask for less, or elsewhere. */
function reasonOf(error: unknown): (typeof reasons)[number] | null {
  if (error instanceof ResultTooLarge || error instanceof TooManyRows) return null
  if (error instanceof StoreBehind) return null
  if (error instanceof StoreOverloaded) return 'overloaded'
  return error instanceof StoreUnavailable ? 'unavailable' : 'failed'
}
