import type { Redis } from 'ioredis'
import type { Cache, CacheEntry, CacheWrite } from '../../ports/cache.ts'
import type { Log } from '../../signals/log.ts'
import type { Metrics } from '../../signals/metrics.ts'
import { Clearing } from './clearing.ts'
import { packedEntry, unpackedEntry } from './entry-form.ts'
import type { RedisForm } from './redis-client.ts'
import { type LinkLimits, RedisLink } from './redis-link.ts'

export interface RedisCacheLimits extends LinkLimits {
  /** Larger ones are not kept. */
  readonly entryBytesMax: number
  /** After its last write an entry is gone. */
  readonly entryTtlMs: number
  /** In one command; more are asked by several at once. */
  readonly keysMax: number
}

const limitsDefault: RedisCacheLimits = {
  connectTimeoutMs: 2_000,
  commandTimeoutMs: 100,
  roundTripsInFlightMax: 256,
  bytesInFlightMax: 16 * 1024 * 1024,
  silenceMsMax: 2_000,
  failuresMax: 5,
  failureWindowMs: 1_000,
  pauseMsMin: 100,
  pauseMsMax: 2_000,
  entryBytesMax: 1024 * 1024,
  entryTtlMs: 60 * 60 * 1_000,
  keysMax: 512,
}

export interface RedisCacheForm extends RedisForm {
  readonly log: Log
  readonly metrics: Metrics
  readonly limits?: Partial<RedisCacheLimits>
}

/** A cache behind a connection that is made while the process goes on. */
export interface LinkedCache extends Cache {
  /** Waits until it is used, at most so long. @returns whether it is */
  connected(waitMsMax: number): Promise<boolean>
}

/**
 * A cache that several processes share. It begins without Redis and goes on without it: what
 * cannot be had within the time is absent. See `checkRedis` for a look before the start.
 */
export function redisCache(form: RedisCacheForm): LinkedCache {
  return new RedisCache(form, { ...limitsDefault, ...form.limits })
}

class RedisCache implements LinkedCache {
  private readonly link: RedisLink
  private readonly limits: RedisCacheLimits
  private readonly metrics: Metrics
  /**
   * Beside it stands whose Redis it is, which is never cleared; but a server that is full or
   * flushed may lose that, and another deployment would come in. So the names say it too.
   */
  private readonly prefix: string
  private readonly clearing: Clearing

  constructor(form: RedisCacheForm, limits: RedisCacheLimits) {
    const { log, metrics } = form
    this.prefix = `${form.prefix}${form.deployment}:`
    this.clearing = new Clearing({
      prefix: this.prefix,
      marker: `${form.prefix}clearing:${form.deployment}`,
      commandTimeoutMs: limits.commandTimeoutMs,
      keysMax: limits.keysMax,
    })
    const prepare = (redis: Redis) => this.clearing.finish(redis)
    this.link = new RedisLink(form, limits, { log, metrics, prepare })
    this.limits = limits
    this.metrics = metrics
  }

  connected(waitMsMax: number): Promise<boolean> {
    return this.link.connected(waitMsMax)
  }

  async get(keys: readonly string[]): Promise<readonly (CacheEntry | undefined)[]> {
    if (keys.length === 0) return []
    if (this.isClearing()) return keys.map(() => undefined)
    const parts = inParts(keys, this.limits.keysMax)
    const values = await this.link.ask(0, (redis) =>
      Promise.all(parts.map((part) => redis.mgetBuffer(part.map((key) => this.prefix + key)))),
    )
    if (values === undefined) return keys.map(() => undefined)
    return values.flat().map((value) => this.entryOf(value))
  }

  async set(entries: readonly CacheWrite[]): Promise<void> {
    if (this.isClearing()) return
    for (const part of inParts(this.bounded(entries), this.limits.keysMax)) {
      const bytes = part.reduce((sum, [key, entry]) => sum + key.length + entry.bytes.length, 0)
      await this.link.ask(bytes, (redis) => this.keepAll(redis, part))
    }
  }

  /**
   * All at once for this process: nothing of before is given any more, also where it could not be
   * removed yet. What fails is done again on the next connection, before that is used.
   */
  async clear(): Promise<void> {
    this.clearing.begin()
    await this.link.prepareAgain()
  }

  close(): Promise<void> {
    return this.link.close()
  }

  private isClearing(): boolean {
    if (!this.clearing.isDue) return false
    this.metrics.cacheFailures.inc({ cache: 'redis', reason: 'clearing' })
    return true
  }

  private entryOf(value: Buffer | null | undefined): CacheEntry | undefined {
    if (value === null || value === undefined) return undefined
    const entry = unpackedEntry(value)
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

  private async keepAll(redis: Redis, entries: readonly CacheWrite[]): Promise<void> {
    const pipeline = redis.pipeline()
    for (const [key, entry] of entries) {
      const packed = packedEntry(entry)
      pipeline.keepEntry(this.prefix + key, entry.position, packed, this.limits.entryTtlMs)
    }
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error
  }
}

function inParts<T>(all: readonly T[], size: number): T[][] {
  const parts: T[][] = []
  for (let at = 0; at < all.length; at += size) parts.push(all.slice(at, at + size))
  return parts
}
