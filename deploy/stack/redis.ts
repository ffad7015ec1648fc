import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Redis } from 'ioredis'
import { stackBinaries } from './binaries.ts'
import { freePorts } from './free-port.ts'
import { startKeptServer } from './kept-server.ts'
import { remember, remembered } from './remembered.ts'
import type { Server } from './server.ts'

export interface RedisAddress {
  readonly host: string
  readonly port: number
  readonly password: string
  /** All of it: `redis://:password@127.0.0.1:port`. */
  readonly url: string
}

export interface RedisServerOptions {
  /** Its own folder; contains nothing but its settings. */
  readonly folder: string
  readonly memoryMaxMiB?: number
  readonly startTimeoutMs?: number
}

const defaults = { memoryMaxMiB: 128, startTimeoutMs: 180_000 }
const stopTimeoutMs = 5_000
const askTimeoutMs = 1_000
const host = '127.0.0.1'

/** A cache and nothing else: what it held is gone after a restart. @throws StackFailure */
export async function startRedis(options: RedisServerOptions): Promise<Server<RedisAddress>> {
  const { memoryMaxMiB, startTimeoutMs } = { ...defaults, ...options }
  const folder = resolve(options.folder)
  const { redisServer } = await stackBinaries()
  const last = remembered(folder)
  const [port = 0] = await freePorts(1, last?.ports ?? [])
  const password = last?.password ?? randomBytes(16).toString('hex')
  mkdirSync(folder, { recursive: true })
  remember(folder, { ports: [port], password })
  const config = join(folder, 'redis.conf')
  writeFileSync(config, redisConf({ port, password, memoryMaxMiB, folder }), { mode: 0o600 })
  const address = redisServerAddress(port, password)
  return await startKeptServer({
    name: 'Redis',
    folder,
    address,
    command: redisServer,
    args: [config],
    ask: () => redisAnswers(address),
    startTimeoutMs,
    stopTimeoutMs,
  })
}

export const redisServerAddress = (port: number, password: string): RedisAddress => ({
  host,
  port,
  password,
  url: `redis://:${password}@${host}:${port}`,
})

interface RedisPlace {
  readonly port: number
  readonly password: string
  readonly memoryMaxMiB: number
  readonly folder: string
}

const redisConf = ({ port, password, memoryMaxMiB, folder }: RedisPlace) => `bind 127.0.0.1
port ${port}
requirepass ${password}
maxmemory ${memoryMaxMiB}mb
maxmemory-policy allkeys-lru
save ""
appendonly no
dir "${folder}"
set-proc-title no
`

export async function redisAnswers({ host, port, password }: RedisAddress): Promise<void> {
  const redis = new Redis({
    host,
    port,
    password,
    lazyConnect: true,
    connectTimeout: askTimeoutMs,
    commandTimeout: askTimeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  redis.on('error', () => {})
  try {
    await redis.connect()
    await redis.ping()
  } finally {
    redis.disconnect()
  }
}
