import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const pidFile = 'server.pid'

/**
 * The process that a pid file in this folder names, if it still runs and is that server: pids are
 * used again, so its arguments must name the folder.
 */
export function livingServer(folder: string): number | null {
  const pid = pidIn(join(folder, pidFile))
  return pid !== null && argumentsOf(pid).includes(folder) ? pid : null
}

export function pidIn(path: string): number | null {
  try {
    const pid = Number(readFileSync(path, 'utf8').trim())
    return Number.isInteger(pid) && pid > 1 ? pid : null
  } catch {
    return null
  }
}

/** Empty when there is no such process. */
export function argumentsOf(pid: number): string {
  try {
    const args = ['-ww', '-o', 'args=', '-p', String(pid)]
    return execFileSync('ps', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return ''
  }
}
