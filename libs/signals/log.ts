import type { EventName } from './events.ts'
import type { Runbook } from './runbooks.ts'

/** What every log line contains: its event of the constant tree, and its particulars. */
export interface LogFields {
  readonly event: EventName
  /** Page for operators; the one key under which log lines name it. */
  readonly runbook?: Runbook
  readonly page?: never
  readonly [particular: string]: unknown
}

/** Structured log of a process. A pino logger is one; tests take `silentLog`. */
export interface Log {
  debug(fields: LogFields, sentence: string): void
  info(fields: LogFields, sentence: string): void
  warn(fields: LogFields, sentence: string): void
  error(fields: LogFields, sentence: string): void
  /** The reason why the process ends. */
  fatal(fields: LogFields, sentence: string): void
}

const nothing = () => {}

export const silentLog: Log = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
}
