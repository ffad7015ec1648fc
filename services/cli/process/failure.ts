import { RedisFailure } from '../../../libs/adapters/redis/redis-failure.ts'
import { BlockRefused, SourceError } from '../../../libs/ports/chain-source.ts'
import { InvalidSetting } from '../../../libs/settings/read-settings.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log, LogFields } from '../../../libs/signals/log.ts'
import { redacted } from '../../../libs/signals/logger.ts'
import { type Runbook, runbooks } from '../../../libs/signals/runbooks.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { UnusableCluster } from '../../../libs/tables/cluster-shape.ts'
import { OtherChain } from '../../../libs/tables/deployment.ts'
import { OtherTables } from '../../../libs/tables/migrate.ts'
import { isOnTerminal, type OutputKind } from './process-log.ts'

/** Why a process ends, for people and for a log collector. */
interface FailureDescription {
  /** One line, no stack, no secret. */
  readonly sentence: string
  readonly fields: LogFields
}

const full =
  /ENOSPC|no space left on device|not enough space|NOT_ENOUGH_SPACE|MDB_MAP_FULL|disk (?:.* )?is full/i
const readOnly = /EACCES|EPERM|EROFS|permission denied|read-only file system/i

/** What operators can mend: their sentence is enough, without a stack. */
const expected = [
  StartupError,
  InvalidSetting,
  SourceError,
  BlockRefused,
  RedisFailure,
  OtherChain,
  OtherTables,
  UnusableCluster,
] as const

/** @param dataDir the folder that errors of files are about; null if the process has none */
export function describeFailure(error: unknown, dataDir: string | null): FailureDescription {
  const sentence = sentenceOf(error, dataDir)
  const runbook = runbookIn(sentence)
  const isExpected = expected.some((kind) => error instanceof kind)
  return {
    sentence,
    fields: {
      event: events.service.failed,
      errorClass: error instanceof Error ? error.name : typeof error,
      ...(runbook === null ? {} : { runbook }),
      ...(error instanceof Error && !isExpected ? { stack: error.stack } : {}),
    },
  }
}

function sentenceOf(error: unknown, dataDir: string | null): string {
  const words = wordsOf(error)
  if (error instanceof StartupError || error instanceof InvalidSetting) return redacted(words)
  if (dataDir !== null && full.test(words)) {
    return `The disk of the data folder ${dataDir} is full: ${own(words)} Nothing is lost. See ${runbooks.diskFull}.`
  }
  if (dataDir !== null && readOnly.test(words)) {
    return `The data folder ${dataDir} cannot be written: ${own(words)}`
  }
  if (error instanceof SourceError) return `${own(words)} See ${runbooks.nodeUnavailable}.`
  return own(words)
}

/** The page that a sentence refers to. */
const runbookIn = (sentence: string): Runbook | null =>
  Object.values(runbooks).find((page) => sentence.includes(page)) ?? null

const own = (words: string) => {
  const line = redacted(words).replace(/\s+/g, ' ').trim()
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}${/[.!?…]$/.test(line) ? '' : '.'}`
}

const causesMax = 4

/** The message, and those of its causes that add to it. */
function wordsOf(error: unknown): string {
  const words: string[] = []
  let cause = error
  for (let depth = 0; cause && depth < causesMax; depth++) {
    const message = cause instanceof Error ? cause.message : String(cause)
    if (message && !words.some((word) => word.includes(message))) words.push(message)
    cause = cause instanceof Error ? cause.cause : undefined
  }
  return words.join(': ') || 'Something failed without a message'
}

interface ReportOptions {
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
