import type { Log } from '../../../libs/signals/log.ts'
import type { Components } from '../components.ts'
import { runUntilStopped } from '../run-until-stopped.ts'

const stopTimeoutMs = 8_000

/** What a task of operators has. */
export interface TaskContext {
  readonly log: Log
  readonly components: Components
  /** Aborts when it is asked to stop. */
  readonly signal: AbortSignal
}

/** As shells report a process that Ctrl-C has ended. */
export const interruptedExitCode = 130

/**
 * Does one thing and is done. Does not wait for servers that are away.
 * @returns the exit code of the work, by default 0; 130 if a signal came first. @throws what failed
 */
export async function runTask(
  log: Log,
  work: (task: TaskContext) => Promise<number | undefined>,
): Promise<number> {
  let exitCode = interruptedExitCode
  const ending = new AbortController()
  await runUntilStopped({
    log,
    stopTimeoutMs,
    stopping: () => ending.abort(),
    async start(components) {
      exitCode = (await work({ log, components, signal: ending.signal })) ?? 0
      return 'done'
    },
  })
  return exitCode
}

/** Writes a line to stdout. Resolves when it is written: a pipe may be slower than we are. */
export const print = (line: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(`${line}\n`, (error) => (error ? reject(error) : resolve()))
  })
