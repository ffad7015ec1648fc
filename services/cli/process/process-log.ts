import { format } from 'node:util'
import pTimeout from 'p-timeout'
import { type DestinationStream, pino } from 'pino'
import { prettyFactory } from 'pino-pretty'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { type LogLevel, startLogger } from '../../../libs/signals/logger.ts'
import type { TerminalStream } from './terminal.ts'

/**
 * A `service` writes its log lines to stdout. A `task` writes its result there, and log lines to
 * stderr.
 */
export type OutputKind = 'service' | 'task'

interface ProcessLogOptions {
  /** Written as `service` in every line. */
  readonly command: string
  readonly kind: OutputKind
  readonly group?: string | undefined
  readonly level: LogLevel
}

const stdout = 1
const stderr = 2

/** The log of a process, and where it is written. */
interface ProcessLog {
  readonly log: Log
  /** Resolves once all lines so far are written, or after a second. Never rejects. */
  readonly flush: () => Promise<void>
}

/** The log of this process: JSON lines, or coloured text on stderr if people watch a terminal. */
export function processLog({ command, kind, level, group }: ProcessLogOptions): ProcessLog {
  // A task prints its result, and `up` its progress: on top of that, only what went wrong.
  const isQuiet = kind === 'task' || (command === 'up' && isOnTerminal(kind))
  const options = {
    level: isQuiet && level === 'info' ? 'warn' : level,
    service: command,
    ...(group === undefined ? {} : { group }),
  } as const
  if (isOnTerminal(kind)) {
    const to = readableLog(process.stderr)
    return { log: startLogger({ ...options, to }), flush: () => Promise.resolve() }
  }
  if (kind === 'task') {
    const to = pino.destination({ fd: stderr, sync: true })
    return { log: startLogger({ ...options, to }), flush: () => Promise.resolve() }
  }
  const { to, flush } = orderedDestination(stdout)
  return { log: startLogger({ ...options, to }), flush }
}

/** Lines for people, written at once. */
export function readableLog(stream: TerminalStream): DestinationStream {
  const readable = prettyFactory({ ignore: 'event,service,group,version' })
  return { write: (line: string) => stream.write(readable(line)) }
}

const flushTimeoutMs = 1_000
/** A pipe takes so many bytes whole: several processes may write their lines to one. */
const pipeBytesMax = 4_096

/**
 * Writes without blocking the process if the reader of the lines is slow. A fatal line is written
 * at once: before one, await `flush`, or it overtakes the lines that are still being written.
 *
 * @param fd the file descriptor
 */
export function orderedDestination(fd: number): {
  readonly to: DestinationStream
  readonly flush: () => Promise<void>
} {
  // With a least length of 0 a flush does not wait for the write under way.
  const to = pino.destination({ dest: fd, sync: false, minLength: 1, maxWrite: pipeBytesMax })
  const flushed = () => new Promise<void>((resolve) => to.flush(() => resolve()))
  const limit = { milliseconds: flushTimeoutMs, message: false } as const
  return { to, flush: () => pTimeout(flushed(), limit) }
}

/** Whether people, not a collector, read what the process writes beside its result. */
export const isOnTerminal = (kind: OutputKind): boolean =>
  kind === 'service' ? process.stdout.isTTY : process.stderr.isTTY

const event = events.service.libraryWrote

/**
 * Turns console output of libraries and warnings of Node into log lines: lmdb prints the error of a
 * failed commit before it rejects with it. Nothing else may be written between the lines of the
 * log, nor into the result of a command.
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
