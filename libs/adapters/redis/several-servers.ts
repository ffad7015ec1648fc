import {
  type Cache,
  type CacheEntry,
  type CacheWrite,
  everywherePrefix,
  type LeaseReply,
} from '../../ports/cache.ts'

/** A cache whose connection is established, and re-established, in the background. */
export interface ReconnectingCache extends Cache {
  /** Waits for the connection, at most this long. @returns whether it is in use */
  connected(waitMsMax: number): Promise<boolean>
}

interface SeveralServersOptions {
  readonly servers: readonly ReconnectingCache[]
  readonly placeOf: (key: string) => number
}

/**
 * One cache on several servers, each with a connection and a breaker of its own: losing one server
 * loses its keys, and nothing else.
 */
export function severalServers(options: SeveralServersOptions): ReconnectingCache {
  const { servers, placeOf } = options
  const serverOf = (key: string) => servers[placeOf(key)]
  const all = <T>(work: (server: ReconnectingCache) => Promise<T>) => Promise.all(servers.map(work))
  const placesOf = (key: string) =>
    key.startsWith(everywherePrefix) ? [...servers.keys()] : [placeOf(key)]
  return {
    async get(keys) {
      const asked = servers.map((_, place) => keys.filter((key) => placesOf(key).includes(place)))
      const newest = new Map<string, CacheEntry>()
      await Promise.all(
        servers.map(async (server, place) => {
          const own = asked[place] ?? []
          if (own.length === 0) return
          for (const [at, entry] of (await server.get(own)).entries()) {
            const key = own[at] ?? ''
            if (entry && entry.position >= (newest.get(key)?.position ?? 0)) newest.set(key, entry)
          }
        }),
      )
      return keys.map((key) => newest.get(key))
    },
    async set(entries) {
      const own = (place: number): CacheWrite[] =>
        entries.filter(([key]) => placesOf(key).includes(place))
      await Promise.all(
        servers.map(async (server, place) => {
          const writes = own(place)
          if (writes.length > 0) await server.set(writes)
        }),
      )
    },
    lease: async (key, owner, ms): Promise<LeaseReply> =>
      (await serverOf(key)?.lease(key, owner, ms)) ?? 'unanswered',
    isLeased: async (key) => (await serverOf(key)?.isLeased(key)) ?? false,
    async release(key, owner) {
      await serverOf(key)?.release(key, owner)
    },
    async clear() {
      await all((server) => server.clear())
    },
    async close() {
      await all((server) => server.close())
    },
    async connected(waitMsMax) {
      const inUse = await all((server) => server.connected(waitMsMax))
      return inUse.every((one) => one)
    },
  }
}
