import type { EventName } from './events.ts'

/** What every line of the log says: which event of the constant tree, and its particulars. */
export interface LogFields {
  readonly event: EventName
  readonly [particular: string]: unknown
}

/** Where services speak. A pino logger is one; tests take `silentLog`. */
export interface Log {
  debug(fields: LogFields, sentence: string): void
  info(fields: LogFields, sentence: string): void
  warn(fields: LogFields, sentence: string): void
  error(fields: LogFields, sentence: string): void
}

const nothing = () => {}

export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
