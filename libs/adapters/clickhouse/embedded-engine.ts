import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import getPort from 'get-port'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import { runbooks } from '../../signals/runbooks.ts'
import {
  type ConfigPaths,
  type EngineAccess,
  type EngineLimits,
  username,
  writeConfig,
} from './engine-config.ts'
import {
  damagedTables,
  type EngineAddress,
  EngineFailure,
  engineFailure,
  portWasTaken,
  queryEngine,
} from './query-engine.ts'

/** A ClickHouse server of our own, from npm packages, as a child process on loopback. */
export interface Engine extends EngineAddress {
  readonly pid: number
  /** Resolves, never rejects, with one sentence when the process is gone. */
  readonly exited: Promise<string>
  /** Stops the engine. Acknowledged rows are on disk already. */
  stop(): Promise<void>
}

interface EngineOptions extends Partial<EngineLimits> {
  /** Its own folder; one engine a folder. */
  readonly folder: string
  readonly log: Log
  /** Of an engine that must keep its address; a free port by default. */
  readonly port?: number
  /** Users that persist across starts; by default one user with a new password. */
  readonly access?: EngineAccess
  /** From start to the first answer; large tables take long to open. */
  readonly startTimeoutMs?: number
}

const defaults = {
  memoryMaxBytes: 2 * 1024 ** 3,
  cacheMaxBytes: 128 * 1024 ** 2,
  startTimeoutMs: 60_000,
}
const startTriesMax = 3
const pollIntervalMs = 20
const stopTimeoutMs = 1_500
/** Of the engine's last words, kept to name a failure. */
const outputMaxChars = 16 * 1024

const childPath = fileURLToPath(new URL('./engine-child.mjs', import.meta.url))
/** Ten billion naps; the length of one is what a stop waits for. */
const sleepForEver =
  'SELECT sleepEachRow(0.1) FROM numbers(10000000000) FORMAT Null SETTINGS ' +
  'function_sleep_max_microseconds_per_block=0, max_block_size=1, max_threads=1'

/**
 * Starts the engine and waits until it answers.
 * @throws EngineFailure: packages missing, folder in use or damaged, disk full, no answer in time.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  for (let tried = 1; ; tried++) {
    const child = await spawn({ ...defaults, ...options })
    const failure = await ready(child, options.startTimeoutMs ?? defaults.startTimeoutMs)
    rmSync(child.configFolder, { recursive: true, force: true })
    if (failure === null) return await opened(child, options)
    child.process.kill('SIGKILL')
    await child.exited
    if (!portWasTaken(child.output()) || tried === startTriesMax) throw new EngineFailure(failure)
    options.log.warn(
      { event: events.engine.retried, tried },
      'the port is in use: trying another one',
    )
  }
}

interface EngineProcess {
  readonly process: ChildProcess
  readonly folder: string
  /** Read once, at its start. */
  readonly configFolder: string
  readonly address: EngineAddress
  /** The end of its output on stdout and stderr. */
  readonly output: () => string
  readonly exited: Promise<string>
}

async function spawn(options: EngineOptions & EngineLimits): Promise<EngineProcess> {
  const { folder, log } = options
  const access = options.access ?? { password: randomBytes(24).toString('hex') }
  const { password } = access
  // Another process may still take it, which `startEngine` survives.
  const port = options.port ?? (await getPort({ host: '127.0.0.1' }))
  const { data, config, configFolder } = configured(options, access)
  const args = [
    `--path=${data}`,
    `--config-file=${config}`,
    `--http_port=${port}`,
    '--listen_host=127.0.0.1',
    `--query=SYSTEM START LISTEN HTTP; ${sleepForEver}`,
  ]
  // Detached: Ctrl-C in a terminal reaches the parent only, which still has rows to write.
  const stdio: ['ignore', 'pipe', 'pipe', 'ipc'] = ['ignore', 'pipe', 'pipe', 'ipc']
  const process = fork(childPath, args, { stdio, detached: true, execArgv: [] })
  let output = ''
  const collect = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-outputMaxChars)
    log.debug({ event: events.engine.output, text: chunk.toString() }, 'output of the engine')
  }
  process.stdout?.on('data', collect)
  process.stderr?.on('data', collect)
  let missing: string | null = null
  process.on('message', (message: { missing: string; because: string }) => {
    missing = `the package ${message.missing} is missing (${message.because}); install it, or point to a ClickHouse server`
  })
  const exited = new Promise<string>((resolve) => {
    process.on('error', (error) => resolve(`the engine cannot be started: ${error.message}`))
    process.on('close', (_, signal) => resolve(missing ?? engineFailure(folder, output, signal)))
  })
  const address = { url: `http://127.0.0.1:${port}`, username, password }
  return { process, folder, configFolder, address, output: () => output, exited }
}

function configured(options: EngineOptions & EngineLimits, access: EngineAccess): ConfigPaths {
  try {
    return writeConfig(options.folder, options, access)
  } catch (error) {
    throw new EngineFailure(engineFailure(options.folder, String(error)))
  }
}

/** @returns null when it answers, else the sentence. */
async function ready(child: EngineProcess, timeoutMs: number): Promise<string | null> {
  const deadline = Date.now() + timeoutMs
  let gone: string | null = null
  void child.exited.then((reason) => {
    gone = reason
  })
  while (gone === null) {
    if (await queryEngine(child.address, 'SELECT 1').catch(() => null)) return null
    if (Date.now() > deadline) return `the engine did not answer within ${timeoutMs} ms`
    await pause(pollIntervalMs)
  }
  return gone
}

async function opened(child: EngineProcess, { folder, log }: EngineOptions): Promise<Engine> {
  const { process, address, exited } = child
  const pid = process.pid ?? 0
  const stop = () => stopped(child)
  const damaged = await damagedTables(address)
  if (damaged !== '') {
    await stop()
    throw new EngineFailure(
      `the tables in the folder ${folder} are damaged, rows are missing from ${damaged}: restore a ` +
        'copy of the whole data folder, or remove it and start again to index from the source; ' +
        `see ${runbooks.corruptFolder}`,
    )
  }
  log.info({ event: events.engine.started, pid, url: address.url }, 'the engine answers')
  return { ...address, pid, exited, stop }
}

/** Cancels the query that keeps it up, then ends it anyway: after that it only lingers. */
async function stopped(child: EngineProcess): Promise<void> {
  if (child.process.exitCode !== null || child.process.signalCode !== null) return
  await queryEngine(
    child.address,
    "KILL QUERY WHERE query LIKE 'SELECT sleepEachRow%' ASYNC",
  ).catch(() => '')
  const timer = setTimeout(() => child.process.kill('SIGKILL'), stopTimeoutMs)
  await child.exited
  clearTimeout(timer)
}
