import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  accessSync,
  constants,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { makeUntrackedFolder } from '../../../libs/adapters/disk/make-untracked-folder.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'

/** Makes the data folder if it is missing. @returns its absolute path. @throws StartupError */
export function prepareFolder(dataDir: string): string {
  const folder = resolve(dataDir)
  try {
    makeUntrackedFolder(folder)
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const because = error instanceof Error ? error.message : String(error)
    throw new StartupError(`The data folder ${folder} cannot be written: ${because}.`)
  }
  if (!statSync(folder).isDirectory()) throw new StartupError(`${folder} is not a folder.`)
  return folder
}

/** Bytes that the volume of a folder has left for an ordinary user. */
export function availableBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

const held = z.object({ pid: z.int().positive(), began: z.string() })

/** Two that find the same dead holder race for it; each try has a winner. */
const triesMax = 5

/**
 * One process a data folder. A holder that was killed leaves its lock behind; it is taken over
 * when that process is not alive any more.
 * @returns what gives the folder free. @throws StartupError if another process has it
 */
export function lockFolder(folder: string): () => void {
  const lock = join(folder, 'lock')
  const own = processIdentity(process.pid)
  if (!own)
    throw new StartupError(
      `The start time of process ${process.pid} is not available on this system.`,
    )
  for (let tried = 0; tried < triesMax; tried++) {
    if (taken(lock, own)) return () => release(lock, own)
    const holder = holderOf(lock)
    if (holder && isAlive(holder)) {
      throw new StartupError(
        `The data folder ${folder} is used by another Foldscan, process ${holder.pid}. ` +
          'Stop that one first, or choose another folder.',
      )
    }
    clear(lock, holder)
  }
  throw new StartupError(`The lock of the data folder ${folder} could not be taken.`)
}

/** A link is created atomically, with its content: no process reads a partly written lock. */
function taken(lock: string, own: ProcessIdentity): boolean {
  const draft = `${lock}.${randomUUID()}`
  writeFileSync(draft, JSON.stringify(own))
  try {
    linkSync(draft, lock)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** @returns null if the file is missing or not a lock. */
function holderOf(lock: string): ProcessIdentity | null {
  try {
    return held.parse(JSON.parse(readFileSync(lock, 'utf8')))
  } catch {
    return null
  }
}

/** Removes the lock of a dead process, and checks again: another process may have it now. */
function clear(lock: string, dead: ProcessIdentity | null): void {
  const grave = `${lock}.${randomUUID()}`
  try {
    renameSync(lock, grave)
  } catch {
    return
  }
  const moved = holderOf(grave)
  if (moved && moved.began !== dead?.began) {
    try {
      linkSync(grave, lock)
    } catch {
      // A third process was faster; the next attempt finds it.
    }
  }
  rmSync(grave, { force: true })
}

function release(lock: string, own: ProcessIdentity): void {
  if (holderOf(lock)?.began === own.began) rmSync(lock, { force: true })
}

/** Which process holds something: numbers are used again, so when it began counts too. */
interface ProcessIdentity {
  readonly pid: number
  readonly began: string
}

/** @returns null if no such process is alive. */
export function processIdentity(pid: number): ProcessIdentity | null {
  const began = process.platform === 'linux' ? beganOnLinux(pid) : beganElsewhere(pid)
  return began === null ? null : { pid, began }
}

export const isAlive = ({ pid, began }: ProcessIdentity) => processIdentity(pid)?.began === began

/** Ticks since boot, and the boot: a restart of the machine makes every holder a stale one. */
function beganOnLinux(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in brackets and may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const state = fields[0]
    if (state === 'Z' || state === 'X') return null
    return `${fields[19]}@${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`
  } catch {
    return null
  }
}

function beganElsewhere(pid: number): string | null {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  } catch {
    return null
  }
}
