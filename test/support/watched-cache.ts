import { type RedisCacheLimits, redisCache } from '../../libs/adapters/redis/redis-cache.ts'
import type { Log, LogFields } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { until } from './until.ts'

interface WatchedCacheOptions {
  readonly url: string
  readonly prefix?: string
  readonly deployment?: string
  readonly limits?: Partial<RedisCacheLimits>
}

/** A cache in Redis with all that it logged and counted. */
export function watchedCache(options: WatchedCacheOptions) {
  const { url, prefix = 'test:', deployment = 'ours', limits = {} } = options
  const metrics = startMetrics()
  const lines: { fields: LogFields; sentence: string }[] = []
  const write = (fields: LogFields, sentence: string) => void lines.push({ fields, sentence })
  const log: Log = { debug: write, info: write, warn: write, error: write, fatal: write }
  const cache = redisCache({ url, prefix, deployment, log, metrics, limits })
  const loggedEvents = () => lines.map(({ fields }) => fields.event)
  const isAway = async () => (await metrics.cacheUnavailable.get()).values[0]?.value
  const failures = async (reason: string) =>
    (await metrics.cacheFailures.get()).values.find(({ labels }) => labels.reason === reason)
      ?.value ?? 0
  const roundTrips = async () =>
    Object.fromEntries(
      (await metrics.redisSeconds.get()).values
        .filter(({ metricName }) => metricName?.endsWith('_count'))
        .map(({ labels, value }) => [labels.purpose, value]),
    )
  const used = () => until('the cache is used', async () => (await isAway()) === 0)
  return { cache, lines, loggedEvents, isAway, failures, roundTrips, used }
}

export type WatchedCache = ReturnType<typeof watchedCache>
