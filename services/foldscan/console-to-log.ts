import { format } from 'node:util'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'

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
