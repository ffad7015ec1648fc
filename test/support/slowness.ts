import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ownEnvironment, top } from '../up/running.ts'

const run = promisify(execFile)
const words = ['services/cli/foldscan.mjs', '--version']

/**
 * A bound on time, in ms, for what an idle machine does within `idleMs`: at least so many times as
 * long as a process takes to start now. A bound on the clock alone fails where others keep the
 * machine busy, and is no property of the program.
 */
export async function boundMs(idleMs: number, starts: number): Promise<number> {
  const began = performance.now()
  await run(process.execPath, words, { cwd: top, env: ownEnvironment() })
  return Math.max(idleMs, starts * (performance.now() - began))
}
