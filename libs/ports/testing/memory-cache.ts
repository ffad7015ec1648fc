import { LRUCache } from 'lru-cache'
import type { Cache, CacheEntry } from '../cache.ts'

/** What an entry takes besides its bytes and key, about. */
const entryOverheadBytes = 200

interface Limits {
  /** All entries together; the least recently used go first. */
  readonly bytesMax: number
  /** Milliseconds of a clock that never goes backward. */
  readonly now?: () => number
}

/** A cache in this process; entries larger than an eighth of it are not kept. */
export function memoryCache({ bytesMax, now = () => performance.now() }: Limits): Cache {
  const leases = new Map<string, { readonly owner: string; readonly until: number }>()
  const isLeased = (key: string) => (leases.get(key)?.until ?? Number.NEGATIVE_INFINITY) > now()
  const entries = new LRUCache<string, CacheEntry>({
    maxSize: bytesMax,
    maxEntrySize: Math.max(1, Math.floor(bytesMax / 8)),
    sizeCalculation: ({ bytes }, key) => bytes.length + key.length + entryOverheadBytes,
  })
  return {
    get: async (keys) => keys.map((key) => entries.get(key)),
    async set(writes) {
      for (const [key, entry] of writes) {
        const kept = entries.peek(key)
        if (kept === undefined || kept.position <= entry.position) entries.set(key, entry)
      }
    },
    async lease(key, owner, ms) {
      if (isLeased(key)) return 'held'
      leases.set(key, { owner, until: now() + ms })
      return 'taken'
    },
    isLeased: async (key) => isLeased(key),
    async release(key, owner) {
      if (leases.get(key)?.owner === owner) leases.delete(key)
    },
    async clear() {
      entries.clear()
    },
    async close() {
      entries.clear()
    },
  }
}
