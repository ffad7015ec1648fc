import { format } from 'node:util'
import { pino } from 'pino'
import pretty from 'pino-pretty'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import { type LogLevel, startLogger } from '../../libs/signals/logger.ts'

/**
 * A `service` writes its log lines to stdout. A `task` writes its result there, and log lines to
 * stderr.
 */
export type OutputKind = 'service' | 'task'

export interface ProcessLogOptions {
  /** Written as `service` in every line. */
  readonly command: string
  readonly kind: OutputKind
  readonly group?: string | undefined
  readonly level: LogLevel
}

const stderr = 2

/** The log of this process: JSON lines, or coloured text on stderr if people watch a terminal. */
export function processLog({ command, kind, group, level }: ProcessLogOptions): Log {
  // A task prints its result, and `up` its progress: on top of that, only what went wrong.
  const isQuiet = kind === 'task' || (command === 'up' && isOnTerminal(kind))
  const options = {
    level: isQuiet && level === 'info' ? 'warn' : level,
    service: command,
    ...(group === undefined ? {} : { group }),
  } as const
  if (isOnTerminal(kind)) {
    const to = pretty({ destination: stderr, sync: true, ignore: 'event,service,group,version' })
    return startLogger({ ...options, to })
  }
  const to = kind === 'task' ? { to: pino.destination({ fd: stderr, sync: true }) } : {}
  return startLogger({ ...options, ...to })
}

/** Whether people, not a collector, read what the process writes beside its result. */
export const isOnTerminal = (kind: OutputKind): boolean =>
  kind === 'service' ? process.stdout.isTTY : process.stderr.isTTY

const event = events.service.libraryWrote

/**
 * What libraries write to the console, and the warnings of Node, become log lines: lmdb prints the
 * error of a failed commit before it rejects with it. Nothing else may stand among the lines of the
 * log, nor in the result of a command.
 */
export function consoleToLog(log: Log): void {
  const line =
    (level: 'debug' | 'warn') =>
    (...words: unknown[]) =>
      log[level]({ event }, `a library wrote to the console: ${format(...words)}`)
  const [debug, warn] = [line('debug'), line('warn')]
  Object.assign(console, { error: warn, warn, info: debug, log: debug, debug })
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => log.debug({ event }, `${name}: ${message}`))
}
