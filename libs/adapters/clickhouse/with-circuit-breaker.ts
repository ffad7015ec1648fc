import { type Store, StoreUnavailable } from '../../ports/store.ts'
import type { Availability } from './availability.ts'

/**
 * Circuit breaker for serving: while ClickHouse is unavailable, queries are rejected at once, also
 * pending ones. Inserts and statements are not affected.
 */
export function withCircuitBreaker(store: Store, availability: Availability): Store {
  const pending = new Set<AbortController>()
  availability.onUnavailable((reason) => {
    for (const query of pending) query.abort(rejection(reason))
    pending.clear()
  })
  return {
    ...withAvailability(store, availability),
    async query(sql, parameters, options = {}) {
      const { unavailable } = availability
      if (unavailable !== null) throw rejection(unavailable)
      options.signal?.throwIfAborted()
      const query = new AbortController()
      const abort = () => query.abort(options.signal?.reason)
      options.signal?.addEventListener('abort', abort)
      pending.add(query)
      try {
        const sent = { ...options, signal: query.signal }
        return await availability.observe(() => store.query(sql, parameters, sent), options.signal)
      } finally {
        pending.delete(query)
        options.signal?.removeEventListener('abort', abort)
      }
    },
  }
}

const rejection = ({ message }: StoreUnavailable) =>
  new StoreUnavailable(`${message}; no query is sent before it answers a ping`)

/** Records the outcome of each call in `availability`; rejects none. */
export const withAvailability = (store: Store, availability: Availability): Store => ({
  insert: (table, columns, rows) => availability.observe(() => store.insert(table, columns, rows)),
  query: (sql, parameters, options) =>
    availability.observe(() => store.query(sql, parameters, options), options?.signal),
  execute: (sql) => availability.observe(() => store.execute(sql)),
  ping: (signal) => store.ping(signal),
  close: () => store.close(),
})
