import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { pidFile } from './pid-file.ts'
import { StackFailure } from './stack-failure.ts'

/** A server as a process that never outlives this one, however this one dies. */
export interface KeptProcess {
  readonly pid: number
  /** Resolves, never rejects, with its last words when it is gone. */
  readonly exited: Promise<string>
  signal(name: NodeJS.Signals): void
}

export interface KeptCommand {
  /** Its own folder, named in its arguments; contains `server.pid` and `spoken.log`. */
  readonly folder: string
  readonly command: string
  readonly args: readonly string[]
}

const keeper = fileURLToPath(new URL('./kept.sh', import.meta.url))
const lastWordsMaxChars = 1_000

/** @throws StackFailure if it cannot be started at all. */
export async function startKept({ folder, command, args }: KeptCommand): Promise<KeptProcess> {
  const spokenPath = join(folder, 'spoken.log')
  const spoken = openSync(spokenPath, 'w', 0o600)
  // Detached: Ctrl-C in a terminal reaches the parent only, which stops its servers in order.
  const keptBy = spawn('sh', [keeper, command, ...args], {
    stdio: ['pipe', spoken, spoken, 'pipe'],
    detached: true,
  })
  closeSync(spoken)
  const gone = new Promise<void>((resolve) => keptBy.once('close', () => resolve()))
  const pid = await pidFrom(keptBy)
  const path = join(folder, pidFile)
  writeFileSync(path, String(pid))
  let alive = true
  const exited = gone.then(() => {
    alive = false
    rmSync(path, { force: true })
    return lastWords(spokenPath)
  })
  const signal = (name: NodeJS.Signals) => {
    if (!alive) return
    try {
      process.kill(pid, name)
    } catch {
      // The process has just exited: `exited` reports it.
    }
  }
  return { pid, exited, signal }
}

/** The first line on descriptor 3. */
async function pidFrom(keptBy: ChildProcess): Promise<number> {
  const said: Readable | undefined = readableOf(keptBy)
  const failed = once(keptBy, 'error').then(([error]) => {
    throw new StackFailure(`a server cannot be started: ${String(error)}`)
  })
  const text = await Promise.race([textOf(said), failed])
  const pid = Number(text.trim())
  if (!Number.isInteger(pid) || pid <= 0) throw new StackFailure('a server did not start')
  return pid
}

function readableOf(child: ChildProcess): Readable | undefined {
  const end = child.stdio[3]
  return end && 'read' in end ? end : undefined
}

async function textOf(stream: Readable | undefined): Promise<string> {
  let text = ''
  for await (const chunk of stream ?? []) text += String(chunk)
  return text
}

/** Whole lines, the last of them. */
function lastWords(path: string): string {
  const said = readFileSync(path, 'utf8')
    .replace(/^SLF4J:.*\n/gm, '')
    .trim()
  if (said.length <= lastWordsMaxChars) return said || 'without a word'
  const last = said.slice(-lastWordsMaxChars)
  return last.slice(last.indexOf('\n') + 1)
}
