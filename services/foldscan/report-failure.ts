import type { Log } from '../../libs/signals/log.ts'
import { describeFailure } from './failure.ts'
import { isOnTerminal, type OutputKind } from './process-log.ts'

export interface ReportOptions {
  readonly kind: OutputKind
  readonly log: Log
  /** The folder that errors of files are about; null if the process has none. */
  readonly dataDir: string | null
}

/**
 * Writes why the process ends: a service as a line of level fatal among its other lines. People at
 * a terminal, and callers of a task, get the sentence on stderr.
 */
export function reportFailure(error: unknown, { kind, log, dataDir }: ReportOptions): void {
  const { sentence, fields } = describeFailure(error, dataDir)
  if (kind === 'service' && !isOnTerminal(kind)) log.fatal(fields, sentence)
  if (kind === 'task' || process.stderr.isTTY) process.stderr.write(`${sentence}\n`)
}
