import { pino } from 'pino'
import type { CommandName } from '../../../libs/settings/command.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { startLogger } from '../../../libs/signals/logger.ts'
import { consoleToLog } from '../console-to-log.ts'
import type { Parts } from '../parts.ts'
import { untilOver } from '../until-over.ts'

const stopTimeoutMs = 8_000
const stderr = 2

/** What the commands of operators have. */
export interface Desk {
  /** On stderr: stdout is for what was asked. */
  readonly log: Log
  readonly parts: Parts
}

/** Does one thing, says it on stdout, and is done. Waits for no server. @throws what failed */
export async function operate(
  { logLevel }: Pick<SettingsOf<CommandName>, 'logLevel'>,
  work: (desk: Desk) => Promise<void>,
): Promise<void> {
  // Without a wish of theirs, people are told what they asked for, and what is wrong.
  const level = logLevel === 'info' ? 'warn' : logLevel
  const log = startLogger(level, pino.destination({ fd: stderr, sync: true }))
  consoleToLog(log)
  await untilOver({
    log,
    stopTimeoutMs,
    stopping: () => {},
    async start(parts) {
      await work({ log, parts })
      return 'done'
    },
  })
}

/** A line on stdout. Resolves when it is out: a pipe may be slower than we are. */
export const print = (line: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(`${line}\n`, (error) => (error ? reject(error) : resolve()))
  })
