import { createHash, randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { type Engine, startEngine } from '../../libs/adapters/clickhouse/embedded-engine.ts'
import type { EngineAddress } from '../../libs/adapters/clickhouse/query-engine.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { freePorts } from './free-port.ts'
import { remember, remembered } from './remembered.ts'
import type { Server } from './server.ts'

/** The user who may do all. */
export interface ClickhouseServerAddress extends EngineAddress {
  /** Who may only select, under a profile that lets it bound statements and change nothing else. */
  readonly reader: { readonly username: string; readonly password: string }
}

export interface ClickhouseServerOptions {
  /** Its own folder; its tables outlive it. */
  readonly folder: string
  readonly memoryMaxMiB?: number
  readonly startTimeoutMs?: number
}

const defaults = { memoryMaxMiB: 2_048, startTimeoutMs: 180_000 }
/** Databases that the reader can read: the default one, and those of tests. */
const readable = ['foldscan', 'test']
const readerName = 'foldscan_reader'

/** Derived by a hash: a reader cannot compute the writer's password from it. */
const readerPassword = (password: string) =>
  createHash('sha256').update(`reader ${password}`).digest('hex').slice(0, 32)

/** The engine of the npm packages as a server of its own. @throws EngineFailure */
export async function startClickhouse(
  options: ClickhouseServerOptions,
): Promise<Server<ClickhouseServerAddress>> {
  const { memoryMaxMiB, startTimeoutMs } = { ...defaults, ...options }
  const folder = resolve(options.folder)
  const last = remembered(folder)
  const [port = 0] = await freePorts(1, last?.ports ?? [])
  const password = last?.password ?? randomBytes(16).toString('hex')
  remember(folder, { ports: [port], password })
  const reader = { username: readerName, password: readerPassword(password), databases: readable }
  let running: Engine | null = null
  const start = async () => {
    const engine = await startEngine({
      folder,
      log: silentLog,
      port,
      access: { password, reader },
      memoryMaxBytes: memoryMaxMiB * 1024 ** 2,
      startTimeoutMs,
    })
    running = engine
    void engine.exited.then(() => {
      if (running === engine) running = null
    })
    return engine
  }
  const signal = (name: NodeJS.Signals) => {
    if (running) process.kill(running.pid, name)
  }
  const stop = async () => {
    signal('SIGCONT')
    await running?.stop()
  }
  const { url, username } = await start()
  return {
    address: { url, username, password, reader },
    pid: () => running?.pid ?? null,
    stop,
    async kill() {
      const gone = running?.exited
      signal('SIGKILL')
      await gone
    },
    async restart() {
      await stop()
      await start()
    },
    pause: async () => signal('SIGSTOP'),
    resume: async () => signal('SIGCONT'),
    exited: () => running?.exited ?? Promise.resolve('it does not run'),
  }
}
