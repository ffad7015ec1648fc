import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate as turn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { CommandName } from '../../libs/settings/setting.ts'
import { events } from '../../libs/signals/events.ts'
import { commands } from '../../services/cli/commands.ts'
import { foldscanWords } from '../support/compiled-services.ts'

export const top = fileURLToPath(new URL('../../', import.meta.url))
export const mainnet = join(top, 'test/mainnet')

const folders = new Set<string>()

/** A folder of the same blocks without the names that are imported with them. */
export function blocksAlone(): string {
  const folder = freshFolder()
  cpSync(mainnet, folder, { recursive: true, filter: (file) => !file.endsWith('.csv') })
  return folder
}

/** Removed by `endAll`. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'foldscan-up-'))
  folders.add(folder)
  return folder
}

const line = z.looseObject({ event: z.string() })
export type Line = z.output<typeof line>

export interface Running {
  readonly pid: number
  /** All lines logged to stdout so far, in order. */
  readonly lines: readonly Line[]
  /** The first line of that event. @throws if the process ends without it. */
  readonly logged: (event: string) => Promise<Line>
  /** Where `up` and an api answer. */
  readonly origin: () => Promise<string>
  /** Where it serves health and metrics. */
  readonly health: () => Promise<string>
  /** Asks for health and metrics where these are served, for all else the API. */
  readonly get: (path: string) => Promise<Answer>
  readonly exited: Promise<Exit>
  readonly kill: (signal: NodeJS.Signals) => void
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The sentence of its fatal line, or a task's stderr; empty if it was asked to end. */
  readonly reason: string
  readonly stderr: string
}

const living = new Set<ChildProcess>()

/** Ends what a failed test left behind, and removes its folders. */
export function endAll(): void {
  for (const child of living) child.kill('SIGKILL')
  for (const folder of folders) {
    try {
      // A process that was just killed may still write.
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
    } catch {
      // It stays: what the callers clean up next is more than a folder.
    }
  }
  folders.clear()
}

/** Runs `foldscan up`, as `npm start` does, with a free port. */
export const startUp = (flags: Record<string, string>): Running =>
  startCommand('up', { port: '0', ...flags })

/** Only what is given here: a variable of this process is no setting of that one. */
export const ownEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^FOLDSCAN_/.test(name)))

/** Runs the real command. */
export function startCommand(
  command: CommandName,
  flags: Record<string, string>,
  environment: Record<string, string> = {},
): Running {
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
  const child = spawn(
    process.execPath,
    foldscanWords([...command.split(' '), ...args], environment),
    {
      cwd: top,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...ownEnvironment(), ...environment },
    },
  )
  living.add(child)
  let stderr = ''
  const isService = commands.some(({ name, kind }) => name === command && kind === 'service')
  const { lines, logged } = isService ? listen(child, () => stderr) : unheard
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const exited = once(child, 'close').then(() => {
    living.delete(child)
    const reason = isService ? fatalIn(lines) : stderr.trimEnd()
    return { code: child.exitCode, signal: child.signalCode, reason, stderr }
  })
  const origin = () => originOf(logged, events.api.listening)
  const health = command === 'up' ? origin : () => originOf(logged, events.service.healthListening)
  return {
    pid: child.pid ?? 0,
    lines,
    logged,
    origin,
    health,
    exited,
    async get(path) {
      const isOfHealth = path.startsWith('/health/') || path === '/metrics'
      const url = (await (isOfHealth ? health() : origin())) + path
      // While this process computed, the server may have closed an idle connection: unless the
      // event loop turns once, fetch would use it again.
      await turn()
      const response = await fetch(url)
      const body: unknown = await response.json().catch(() => null)
      return { status: response.status, headers: response.headers, body }
    },
    kill: (signal) => void child.kill(signal),
  }
}

/** A task writes its result to stdout, not lines of the log. */
const unheard: Pick<Running, 'lines' | 'logged'> = {
  lines: [],
  logged: (event) => Promise.reject(new Error(`a task logs no ${event} to stdout`)),
}

const address = z.looseObject({ host: z.string(), port: z.number() })

/** A service listens first of all; `up` once it can answer. */
async function originOf(logged: Running['logged'], event: string): Promise<string> {
  const { host, port } = address.parse(await logged(event))
  return `http://${host}:${port}`
}

const fatalIn = (lines: readonly Line[]): string =>
  String(lines.find(({ level }) => level === 'fatal')?.msg ?? '')

function listen(child: ChildProcess, complaint: () => string): Pick<Running, 'lines' | 'logged'> {
  const lines: Line[] = []
  const waiting = new Set<() => void>()
  let ended = false
  const wake = () => {
    for (const look of waiting) look()
  }
  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (text) => {
      lines.push(line.parse(JSON.parse(text)))
      wake()
    })
  }
  child.on('close', () => {
    ended = true
    wake()
  })
  const logged = (event: string) =>
    new Promise<Line>((resolve, reject) => {
      const look = () => {
        const found = lines.find((one) => one.event === event)
        if (found) resolve(found)
        else if (ended)
          reject(new Error(`it ended without saying ${event}: ${fatalIn(lines)}${complaint()}`))
        else return
        waiting.delete(look)
      }
      waiting.add(look)
      look()
    })
  return { lines, logged }
}
