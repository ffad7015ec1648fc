import type { Redis } from 'ioredis'
import type {
  LeaseAnswer,
  LeaseAsks,
  LeaseListener,
  SharedCounts,
} from '../../ports/shared-counts.ts'
import type { Log } from '../../signals/log.ts'
import type { Metrics } from '../../signals/metrics.ts'
import { type RedisOptions, redisClient } from './redis-client.ts'
import { linkLimits, RedisLink } from './redis-link.ts'

interface RedisSharedCountsOptions extends RedisOptions {
  /** Name of this process, without blanks; no other one has it. */
  readonly process: string
  readonly commandTimeoutMs?: number
  readonly log: Log
  readonly metrics: Metrics
}

export interface ReconnectingCounts extends SharedCounts {
  /** Waits for the connection, at most this long. @returns whether it is in use */
  connected(waitMsMax: number): Promise<boolean>
}

/** The characters of one ask in a command, about. */
const askBytes = 128
const reconnectAfterMs = 500

/**
 * Counts in Redis. It has connections of its own: behind pages of a megabyte a lease would wait.
 * The names of keys contain the window, which only the script knows, so they are not declared as
 * its keys: all of them are on one server.
 */
export function redisSharedCounts(options: RedisSharedCountsOptions): ReconnectingCounts {
  const { log, metrics } = options
  const limits = {
    ...linkLimits,
    ...(options.commandTimeoutMs && { commandTimeoutMs: options.commandTimeoutMs }),
  }
  const place = `${options.prefix}${options.deployment}:requests`
  const link = new RedisLink(options, limits, {
    name: 'limits',
    log,
    metrics,
    prepare: async () => {},
  })
  const durations = metrics.redisSeconds.durationsOf('count')
  let subscriber: Redis | null = null
  return {
    connected: (waitMsMax) => link.connected(waitMsMax),
    async lease(asks) {
      const words = wordsOf(asks, options.process, place)
      const bytes = asks.asks.length * askBytes
      const answer = await link.roundTrip({ durations, bytes }, (redis) =>
        redis.leaseRequests(...words),
      )
      return answer === undefined ? null : answerOf(answer)
    },
    listen(listener) {
      subscriber ??= subscribed(options, limits, place)
      subscriber.on('message', (_channel: string, text: string) =>
        announce(text, options.process, listener),
      )
    },
    async close() {
      subscriber?.disconnect()
      await link.close()
    },
  }
}

/** Failures are logged by the link, which has the same server. */
function subscribed(
  options: RedisOptions,
  limits: { readonly connectTimeoutMs: number; readonly commandTimeoutMs: number },
  channel: string,
): Redis {
  const { redis } = redisClient(options, { ...limits, pause: () => reconnectAfterMs })
  redis.on('error', () => {})
  redis.on('ready', () => void redis.subscribe(channel).catch(() => {}))
  return redis
}

function announce(text: string, process: string, listener: LeaseListener): void {
  const [, kind, sender, window, client] = /^(\w+) (\S+) (\d+) (.+)$/s.exec(text) ?? []
  if (client === undefined || sender === process) return
  if (kind === 'recalled') listener.recalled(client, Number(window))
  if (kind === 'returned') listener.returned(client, Number(window))
}

const wordsOf = ({ window, windowMs, asks }: LeaseAsks, process: string, place: string) => [
  windowMs,
  window,
  process,
  place,
  ...asks.flatMap(({ client, limit, used, wanted, isReturn }) => [
    client,
    limit,
    used,
    wanted,
    isReturn ? 1 : 0,
  ]),
]

const numbersOfLease = 3

function answerOf([window = 0, leftMs = 0, nowMs = 0, ...rest]: readonly number[]): LeaseAnswer {
  const leases = Array.from({ length: rest.length / numbersOfLease }, (_, n) => {
    const [granted = 0, left = 0, holders = 0] = rest.slice(n * numbersOfLease)
    return { granted, left, holders }
  })
  return { window, leftMs, nowMs, leases }
}
