import type { Cache } from '../../../libs/ports/cache.ts'

interface LateCacheOptions {
  /** A while, until the run says so. */
  readonly waited: () => Promise<void>
  /** Without them every caller gets any lease. */
  readonly hasLeases: boolean
}

/** A cache that answers when the run lets it. */
export const lateCache = (cache: Cache, { waited, hasLeases }: LateCacheOptions): Cache => ({
  ...cache,
  get: async (keys) => {
    await waited()
    const entries = await cache.get(keys)
    await waited()
    return entries
  },
  set: async (writes) => {
    await waited()
    await cache.set(writes)
  },
  lease: async (...of) => {
    if (!hasLeases) return 'taken'
    await waited()
    return await cache.lease(...of)
  },
  isLeased: async (key) => {
    await waited()
    return await cache.isLeased(key)
  },
})
