import type { Redis } from 'ioredis'
import type { CacheEntry, CacheWrite, LeaseReply } from '../../ports/cache.ts'
import type { Log } from '../../signals/log.ts'
import { decodeEntry, encodeEntry } from './entry-form.ts'
import { type RedisOptions, redisAddress, withTimeout } from './redis-client.ts'
import {
  type LinkLimits,
  type LinkMetrics,
  linkLimits,
  RedisLink,
  type RoundTrip,
} from './redis-link.ts'
import { serverOfKey, urlsIn } from './server-of-key.ts'
import { type ReconnectingCache, severalServers } from './several-servers.ts'

export interface RedisCacheLimits extends LinkLimits {
  /** Larger entries are not cached. */
  readonly entryBytesMax: number
  /** Time to live of an entry after its last write. */
  readonly entryTtlMs: number
  /** Keys of one command; more keys take several concurrent commands. */
  readonly keysMax: number
  /** Reads that one command gathers. Their entries, at most `entryBytesMax` each, come together. */
  readonly readsGatheredMax: number
}

const limitsDefault: RedisCacheLimits = {
  ...linkLimits,
  entryBytesMax: 1024 * 1024,
  entryTtlMs: 60 * 60 * 1_000,
  keysMax: 512,
  readsGatheredMax: 16,
}

interface RedisCacheOptions extends RedisOptions {
  readonly log: Log
  readonly metrics: LinkMetrics
  readonly limits?: Partial<RedisCacheLimits>
}

/**
 * A cache that several processes share. It starts and continues without Redis: an entry that is not
 * returned in time counts as absent. `checkRedis` checks the connection before the start.
 * @param options the URLs of several servers, with commas, share the keys by consistent hashing
 */
export function redisCache(options: RedisCacheOptions): ReconnectingCache {
  const limits = { ...limitsDefault, ...options.limits }
  const urls = urlsIn(options.url)
  if (urls.length === 1) return new RedisCache(options, limits)
  const { metrics } = options
  const away = urls.map(() => 0)
  const metricsOf = (place: number): LinkMetrics => ({
    redisSeconds: metrics.redisSeconds,
    cacheFailures: metrics.cacheFailures,
    cacheUnavailable: {
      set(labels, isAway) {
        away[place] = isAway
        const count = away.reduce((sum, one) => sum + one, 0)
        metrics.cacheUnavailable.set(labels, count)
      },
    },
  })
  return severalServers({
    servers: urls.map(
      (url, place) => new RedisCache({ ...options, url, metrics: metricsOf(place) }, limits),
    ),
    placeOf: serverOfKey(urls.map((url) => redisAddress(url).shown)),
  })
}

/** Why an entry was not taken or kept; label values. */
const entryFailures = ['clearing', 'malformed', 'too-large'] as const

class RedisCache implements ReconnectingCache {
  private readonly link: RedisLink
  private readonly limits: RedisCacheLimits
  private readonly metrics: LinkMetrics
  private readonly reading: RoundTrip
  private readonly writing: RoundTrip['durations']
  private readonly leasing: RoundTrip
  /**
   * Keys include the deployment. The key that names the owning deployment is never cleared, but a
   * server that evicts or is flushed may lose it, and another deployment would claim the prefix.
   */
  private readonly prefix: string
  private readonly clearing: CacheClearing
  /** Reads of one key each, until the sockets have been read. */
  private gathered: GatheredRead[] = []

  constructor(options: RedisCacheOptions, limits: RedisCacheLimits) {
    const { log, metrics } = options
    for (const reason of entryFailures) metrics.cacheFailures.inc({ cache: 'redis', reason }, 0)
    this.prefix = `${options.prefix}${options.deployment}:`
    this.clearing = new CacheClearing({
      prefix: this.prefix,
      marker: `${options.prefix}clearing:${options.deployment}`,
      commandTimeoutMs: limits.commandTimeoutMs,
      keysMax: limits.keysMax,
    })
    this.link = new RedisLink(options, limits, {
      name: 'redis',
      log,
      metrics,
      prepare: (redis) => this.clearing.finish(redis),
      isPrepared: () => !this.clearing.isDue,
    })
    this.limits = limits
    this.metrics = metrics
    // Looked up once: a read takes some ten microseconds.
    this.reading = { durations: metrics.redisSeconds.durationsOf('read') }
    this.writing = metrics.redisSeconds.durationsOf('write')
    this.leasing = { durations: metrics.redisSeconds.durationsOf('lease') }
  }

  connected(waitMsMax: number): Promise<boolean> {
    return this.link.connected(waitMsMax)
  }

  async get(keys: readonly string[]): Promise<readonly (CacheEntry | undefined)[]> {
    if (keys.length === 0) return []
    const [key = ''] = keys
    return keys.length === 1 ? [await this.getOne(key)] : this.getAll(keys)
  }

  /**
   * Requests that arrive together read their pages with one command: a write of the socket costs
   * more than all else of a read.
   */
  private getOne(key: string): Promise<CacheEntry | undefined> {
    return new Promise((resolve) => {
      if (this.gathered.length === 0) setImmediate(() => this.sendGathered())
      this.gathered.push({ key, resolve })
    })
  }

  private sendGathered(): void {
    const { gathered } = this
    this.gathered = []
    for (const reads of inParts(gathered, this.limits.readsGatheredMax)) {
      // Never rejects.
      void this.getAll(reads.map(({ key }) => key)).then((entries) => {
        for (const [at, { resolve }] of reads.entries()) resolve(entries[at])
      })
    }
  }

  private async getAll(keys: readonly string[]): Promise<readonly (CacheEntry | undefined)[]> {
    if (this.isBeingCleared()) return keys.map(() => undefined)
    const parts = inParts(keys, this.limits.keysMax)
    const values = await this.link.roundTrip(this.reading, (redis) =>
      Promise.all(parts.map((part) => redis.mgetBuffer(part.map((key) => this.prefix + key)))),
    )
    if (values === undefined) return keys.map(() => undefined)
    return values.flat().map((value) => this.entryOf(value))
  }

  async set(entries: readonly CacheWrite[]): Promise<void> {
    if (this.isBeingCleared()) return
    const { begun } = this.clearing
    for (const part of inParts(this.bounded(entries), this.limits.keysMax)) {
      // Before the round trip, whose time is limited.
      const encoded = await Promise.all(part.map(([, entry]) => encodeEntry(entry)))
      // Written now, they would outlive a removal that began, and may have ended, meanwhile.
      if (this.clearing.begun !== begun) return
      const bytes = part.reduce(
        (sum, [key], at) => sum + key.length + (encoded[at]?.length ?? 0),
        0,
      )
      const trip = { durations: this.writing, bytes }
      await this.link.roundTrip(trip, (redis) => this.setAll(redis, part, encoded))
    }
  }

  async lease(key: string, owner: string, ms: number): Promise<LeaseReply> {
    if (this.isBeingCleared()) return 'unanswered'
    const lease = this.leaseOn(key)
    const reply = await this.link.roundTrip(this.leasing, (redis) =>
      redis.set(lease, owner, 'PX', ms, 'NX'),
    )
    if (reply === undefined) return 'unanswered'
    return reply === null ? 'held' : 'taken'
  }

  async isLeased(key: string): Promise<boolean> {
    const { leasing } = this
    return (await this.link.roundTrip(leasing, (redis) => redis.exists(this.leaseOn(key)))) === 1
  }

  async release(key: string, owner: string): Promise<void> {
    await this.link.roundTrip(this.leasing, (redis) =>
      redis.releaseIfOwned(this.leaseOn(key), owner),
    )
  }

  /** No key of an entry begins like that. */
  private leaseOn(key: string): string {
    return `${this.prefix}lease|${key}`
  }

  /**
   * Immediate for this process: earlier entries are no longer returned, even if not removed yet. A
   * failed removal is repeated on the next connection, before that is used; a connection that is
   * being prepared meanwhile removes them, too.
   */
  async clear(): Promise<void> {
    this.clearing.begin()
    await this.link.prepareAgain()
  }

  close(): Promise<void> {
    return this.link.close()
  }

  private isBeingCleared(): boolean {
    if (!this.clearing.isDue) return false
    this.metrics.cacheFailures.inc({ cache: 'redis', reason: 'clearing' })
    return true
  }

  private entryOf(value: Buffer | null | undefined): CacheEntry | undefined {
    if (value === null || value === undefined) return undefined
    const entry = decodeEntry(value, this.limits.entryBytesMax)
    if (entry !== null) return entry
    this.metrics.cacheFailures.inc({ cache: 'redis', reason: 'malformed' })
    return undefined
  }

  private bounded(entries: readonly CacheWrite[]): readonly CacheWrite[] {
    const kept = entries.filter(([, { bytes }]) => bytes.length <= this.limits.entryBytesMax)
    const tooLarge = entries.length - kept.length
    if (tooLarge > 0) {
      this.metrics.cacheFailures.inc({ cache: 'redis', reason: 'too-large' }, tooLarge)
    }
    return kept
  }

  private async setAll(
    redis: Redis,
    entries: readonly CacheWrite[],
    encoded: readonly Buffer[],
  ): Promise<void> {
    const pipeline = redis.pipeline()
    for (const [at, [key, { position }]] of entries.entries()) {
      const bytes = encoded[at]
      if (bytes === undefined) continue
      pipeline.setUnlessNewer(this.prefix + key, position, bytes, this.limits.entryTtlMs)
    }
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error
  }
}

function inParts<T>(all: readonly T[], size: number): T[][] {
  const parts: T[][] = []
  for (let at = 0; at < all.length; at += size) parts.push(all.slice(at, at + size))
  return parts
}

interface GatheredRead {
  readonly key: string
  readonly resolve: (entry: CacheEntry | undefined) => void
}

interface ClearingOptions {
  /** Prefix of the keys to remove. */
  readonly prefix: string
  /** Key outside the prefix, set while a removal is unfinished: the next connection finishes it. */
  readonly marker: string
  readonly commandTimeoutMs: number
  /** Keys scanned in one step. */
  readonly keysMax: number
}

/**
 * Removes all entries of a cache, step by step. Any step may fail. A partly cleared cache must not
 * be read, so a removal stays due until this or another process has finished it.
 */
class CacheClearing {
  readonly #options: ClearingOptions
  #wanted = 0
  #done = 0

  constructor(options: ClearingOptions) {
    this.#options = options
  }

  /** Until it is done, no entry of the cache is valid. */
  get isDue(): boolean {
    return this.#done < this.#wanted
  }

  /** Removals that this process has begun or taken over. */
  get begun(): number {
    return this.#wanted
  }

  begin(): void {
    this.#wanted++
  }

  /** Finishes a removal of this or another process. @throws if a step fails: it stays due */
  async finish(redis: Redis): Promise<void> {
    const { marker } = this.#options
    if (!this.isDue) {
      if ((await this.#step(redis.exists(marker))) === 0) return
      this.begin()
    }
    const doing = this.#wanted
    await this.#step(redis.set(marker, '1'))
    await this.#removeAll(redis)
    await this.#step(redis.del(marker))
    // A later one may have ended before.
    this.#done = Math.max(this.#done, doing)
  }

  async #removeAll(redis: Redis): Promise<void> {
    const { prefix, keysMax } = this.#options
    const pattern = `${prefix.replace(/[*?[\]\\]/g, '\\$&')}*`
    let cursor = '0'
    do {
      const asked = redis.scan(cursor, 'MATCH', pattern, 'COUNT', keysMax)
      const [next, keys] = await this.#step(asked)
      if (keys.length > 0) await this.#step(redis.unlink(keys))
      cursor = next
    } while (cursor !== '0')
  }

  #step<T>(answer: Promise<T>): Promise<T> {
    return withTimeout(this.#options.commandTimeoutMs, answer)
  }
}
