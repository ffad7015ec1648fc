import type { Redis } from 'ioredis'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import type { SharedCounts } from '../../ports/shared-counts.ts'
import type { Log } from '../../signals/log.ts'
import type { Metrics } from '../../signals/metrics.ts'
import type { RedisOptions } from './redis-client.ts'
import { linkLimits, RedisLink } from './redis-link.ts'

interface RedisSharedCountsOptions extends RedisOptions {
  /** Length of a window. */
  readonly windowSeconds: number
  readonly commandTimeoutMs?: number
  readonly log: Log
  readonly metrics: Metrics
}

export interface ReconnectingCounts extends SharedCounts {
  /** Waits for the connection, at most this long. @returns whether it is in use */
  connected(waitMsMax: number): Promise<boolean>
}

/** The characters of one command, about. */
const commandBytes = 256

/**
 * Counts in Redis, by the windows of rate-limiter-flexible: a key for each client, which ends with
 * its window. The connection is its own: behind pages of a megabyte a count would wait.
 */
export function redisSharedCounts(options: RedisSharedCountsOptions): ReconnectingCounts {
  const { log, metrics, prefix, deployment, windowSeconds, commandTimeoutMs } = options
  const limits = { ...linkLimits, ...(commandTimeoutMs && { commandTimeoutMs }) }
  const prepare = async () => {}
  const link = new RedisLink(options, limits, { name: 'limits', log, metrics, prepare })
  const durations = metrics.redisSeconds.durationsOf('count')
  let windows: RateLimiterRedis | null = null
  const windowsIn = (redis: Redis) => {
    windows ??= new RateLimiterRedis({
      storeClient: redis,
      // A window keeps the length that it began with.
      keyPrefix: `${prefix}${deployment}:requests:${windowSeconds}`,
      duration: windowSeconds,
      // Limits are compared by the process: those of API keys differ.
      points: Number.MAX_SAFE_INTEGER,
    })
    return windows
  }
  return {
    connected: (waitMsMax) => link.connected(waitMsMax),
    async add(client, requests) {
      let isSent = false
      const found = await link.roundTrip({ durations, bytes: commandBytes }, (redis) => {
        // Else the client refuses the command by itself.
        isSent = redis.status === 'ready'
        return windowsIn(redis).consume(client, requests)
      })
      if (found === undefined) return isSent ? 'unknown' : 'unsent'
      // Redis rounds the rest of a window down.
      return { requests: found.consumedPoints, leftMs: found.msBeforeNext + 1 }
    },
    close: () => link.close(),
  }
}
