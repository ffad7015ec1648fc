import { Redis, type Result } from 'ioredis'
import { setUnlessNewerScript } from './entry-format.ts'
import { redisAddress } from './redis-address.ts'
import { RedisFailure, redisFailure } from './redis-failure.ts'
import { withTimeout } from './redis-timeout.ts'

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** 1 if the entry was set, 0 if the stored one has a higher position. */
    setUnlessNewer(
      key: string,
      position: number,
      encoded: Buffer,
      ttlMs: number,
    ): Result<number, Context>
  }
}

export interface RedisOptions {
  /** redis:// or rediss:// with user, password and database. Never logged. */
  readonly url: string
  /** Prefix of every key. */
  readonly prefix: string
  /** Owner of the entries: a prefix owned by another deployment is rejected. */
  readonly deployment: string
  /** PEM of the authority that signed the server's certificate, if not a public one. */
  readonly authority?: string
}

interface ClientLimits {
  readonly connectTimeoutMs: number
  readonly commandTimeoutMs: number
  /** Milliseconds until the next attempt to connect, or null for never again. */
  readonly pause: () => number | null
}

/** A client that reconnects, without an offline queue and without retries of commands. */
export function redisClient(options: RedisOptions, limits: ClientLimits) {
  const { shown, isEncrypted, database, ...signIn } = redisAddress(options.url)
  const redis = new Redis({
    ...signIn,
    db: database,
    ...(isEncrypted && { tls: options.authority === undefined ? {} : { ca: options.authority } }),
    connectTimeout: limits.connectTimeoutMs,
    // How long an unresponsive server may keep a connection that this process closes.
    disconnectTimeout: limits.commandTimeoutMs,
    retryStrategy: limits.pause,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // Claiming the prefix is the check.
    enableReadyCheck: false,
    disableClientInfo: true,
    keepAlive: 10_000,
    scripts: { setUnlessNewer: { lua: setUnlessNewerScript, numberOfKeys: 1 } },
  })
  return { redis, shown }
}

/** @throws RedisFailure if it belongs to another deployment; else as the client does. */
export async function claimPrefix(
  redis: Redis,
  options: RedisOptions,
  shown: string,
): Promise<void> {
  const key = `${options.prefix}deployment`
  let owner = await redis.get(key)
  if (owner === null) {
    await redis.setnx(key, options.deployment)
    owner = await redis.get(key)
  }
  if (owner === options.deployment) return
  throw new RedisFailure(
    'another-deployment',
    `Redis at ${shown} holds the pages of another deployment under '${options.prefix}': ` +
      'give this one a prefix or a database of its own',
  )
}

const checkLimits = { connectTimeoutMs: 3_000, commandTimeoutMs: 3_000, pause: () => null }

/** Checks once whether the cache can be used; the caller decides what a failure means. */
export async function checkRedis(options: RedisOptions): Promise<RedisFailure | null> {
  const { redis, shown } = redisClient(options, checkLimits)
  // The first error is the cause: later ones only report the closed connection.
  let first: unknown
  redis.on('error', (error) => {
    first ??= error
  })
  try {
    const ready = new Promise<void>((resolve, reject) => {
      redis.once('ready', resolve)
      redis.once('close', () => reject(new Error('it closed the connection')))
    })
    await withTimeout(checkLimits.connectTimeoutMs, ready)
    await withTimeout(checkLimits.commandTimeoutMs, claimPrefix(redis, options, shown))
    return null
  } catch (error) {
    return redisFailure(first ?? error, shown)
  } finally {
    redis.disconnect()
  }
}
