import { Redis, type Result } from 'ioredis'
import { keepUnlessHigherIsThere } from './entry-form.ts'
import { redisAddress } from './redis-address.ts'
import { RedisTrouble, redisTrouble } from './redis-trouble.ts'
import { within } from './within.ts'

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** 1 if the entry is kept, 0 if one of a higher position is there. */
    keepEntry(key: string, position: number, packed: Buffer, ttlMs: number): Result<number, Context>
  }
}

export interface RedisForm {
  /** redis:// or rediss:// with user, password and database. Never logged. */
  readonly url: string
  /** Before every key of ours. */
  readonly prefix: string
  /** Whose entries these are: a Redis that holds those of another is refused. */
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

/** A client that connects by itself, queues nothing and repeats nothing. */
export function redisClient(form: RedisForm, limits: ClientLimits) {
  const { shown, isEncrypted, database, ...signIn } = redisAddress(form.url)
  const redis = new Redis({
    ...signIn,
    db: database,
    ...(isEncrypted && { tls: form.authority === undefined ? {} : { ca: form.authority } }),
    connectTimeout: limits.connectTimeoutMs,
    // How long a server that does not listen may hold a connection that we close.
    disconnectTimeout: limits.commandTimeoutMs,
    retryStrategy: limits.pause,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // Taking possession of it is the check.
    enableReadyCheck: false,
    disableClientInfo: true,
    keepAlive: 10_000,
    scripts: { keepEntry: { lua: keepUnlessHigherIsThere, numberOfKeys: 1 } },
  })
  return { redis, shown }
}

/** @throws RedisTrouble if it belongs to another deployment; else as the client does. */
export async function takenPossession(redis: Redis, form: RedisForm, shown: string): Promise<void> {
  const key = `${form.prefix}deployment`
  let owner = await redis.get(key)
  if (owner === null) {
    await redis.setnx(key, form.deployment)
    owner = await redis.get(key)
  }
  if (owner === form.deployment) return
  throw new RedisTrouble(
    'another-deployment',
    `Redis at ${shown} holds the pages of another deployment under '${form.prefix}': ` +
      'give this one a prefix or a database of its own',
  )
}

const checkLimits = { connectTimeoutMs: 3_000, commandTimeoutMs: 3_000, pause: () => null }

/** Asks once whether the cache can be used; the caller decides what trouble means. */
export async function checkRedis(form: RedisForm): Promise<RedisTrouble | null> {
  const { redis, shown } = redisClient(form, checkLimits)
  // The first is the cause: what follows tells only that the connection is gone.
  let first: unknown
  redis.on('error', (error) => {
    first ??= error
  })
  try {
    const isThere = new Promise<void>((resolve, reject) => {
      redis.once('ready', resolve)
      redis.once('close', () => reject(new Error('it closed the connection')))
    })
    await within(checkLimits.connectTimeoutMs, isThere)
    await within(checkLimits.commandTimeoutMs, takenPossession(redis, form, shown))
    return null
  } catch (error) {
    return redisTrouble(first ?? error, shown)
  } finally {
    redis.disconnect()
  }
}
