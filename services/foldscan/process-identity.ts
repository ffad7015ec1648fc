import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Which process holds something: numbers are used again, so when it began counts too. */
export interface ProcessIdentity {
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
