import { Redis, type Result } from 'ioredis'
import { parsedUrl } from '../../chain/parsed-url.ts'
import { setUnlessNewerScript } from './entry-form.ts'
import { RedisFailure, redisFailure } from './redis-failure.ts'

/** No answer within the given time. */
export class RedisTimeout extends Error {
  override readonly name = 'RedisTimeout'
}

/**
 * The answer, or RedisTimeout. At the deadline the sockets are read once more before it rejects: a
 * process whose event loop was blocked must not report its own pause as the server's.
 */
export async function withTimeout<T>(timeMsMax: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const declare = () => reject(new RedisTimeout(`no answer within ${timeMsMax} ms`))
    timer = setTimeout(() => setImmediate(declare), timeMsMax)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
    // Avoids an unhandledRejection of the promise that lost the race.
    answer.catch(() => {})
    late.catch(() => {})
  }
}

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** 1 if the entry was set, 0 if the stored one has a higher position. */
    setUnlessNewer(
      key: string,
      position: number,
      encoded: Buffer,
      ttlMs: number,
    ): Result<number, Context>
    /** 1 if the lease was the owner's. */
    releaseIfOwned(key: string, owner: string): Result<number, Context>
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
    scripts: {
      setUnlessNewer: { lua: setUnlessNewerScript, numberOfKeys: 1 },
      releaseIfOwned: { lua: releaseIfOwnedScript, numberOfKeys: 1 },
    },
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

/** Where a Redis listens and how one signs in there. */
interface RedisAddress {
  readonly host: string
  readonly port: number
  readonly isEncrypted: boolean
  readonly database: number
  readonly username?: string
  readonly password?: string
  /** For people: without user and password. */
  readonly shown: string
}

const portDefault = 6379

/** @throws Error with a sentence that repeats nothing of the URL: it may hold a password. */
export function redisAddress(text: string): RedisAddress {
  const url = parsedUrl(text)
  const username = decoded(url?.username ?? '')
  const password = decoded(url?.password ?? '')
  const path = /^\/?(\d{0,4})$/.exec(url?.pathname ?? 'none')
  if (
    url === null ||
    !isRedis(url.protocol) ||
    url.hostname === '' ||
    path === null ||
    username === null ||
    password === null
  ) {
    throw new Error(
      'the address of Redis is not of the form redis://host:port/database, or rediss:// for TLS, ' +
        'with user and password before the host if it asks for them',
    )
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = url.port === '' ? portDefault : Number(url.port)
  const database = Number(path[1] ?? '')
  return {
    host,
    port,
    isEncrypted: url.protocol === 'rediss:',
    database,
    ...(username !== '' && { username }),
    ...(password !== '' && { password }),
    shown: `${url.protocol}//${url.hostname}:${port}/${database}`,
  }
}

const isRedis = (protocol: string) => protocol === 'redis:' || protocol === 'rediss:'

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** KEYS: the lease; ARGV: its owner. A lease that has ended may be another one's by now. */
const releaseIfOwnedScript = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`
