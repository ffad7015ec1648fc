import { BadSetting } from '../../libs/settings/read-settings.ts'
import { redacted } from '../../libs/signals/redact.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { Refusal } from './refusal.ts'

const full =
  /ENOSPC|no space left on device|not enough space|NOT_ENOUGH_SPACE|MDB_MAP_FULL|disk (?:.* )?is full/i
const readOnly = /EACCES|EPERM|EROFS|permission denied|read-only file system/i

/** What ended the process, for people: one line, no stack, no secret. */
export function sentenceOf(error: unknown, dataDir: string): string {
  const words = wordsOf(error)
  if (error instanceof Refusal || error instanceof BadSetting) return redacted(words)
  if (full.test(words)) {
    return `The disk of the data folder ${dataDir} is full: ${own(words)} Nothing is lost. See ${runbooks.diskFull}.`
  }
  if (readOnly.test(words)) {
    return `The data folder ${dataDir} cannot be written: ${own(words)}`
  }
  return own(words)
}

const own = (words: string) => {
  const line = redacted(words).replace(/\s+/g, ' ').trim()
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}${/[.!?…]$/.test(line) ? '' : '.'}`
}

const causesMax = 4

/** The message, and those of its causes that say more. */
function wordsOf(error: unknown): string {
  const words: string[] = []
  let cause = error
  for (let depth = 0; cause && depth < causesMax; depth++) {
    const said = cause instanceof Error ? cause.message : String(cause)
    if (said && !words.some((word) => word.includes(said))) words.push(said)
    cause = cause instanceof Error ? cause.cause : undefined
  }
  return words.join(': ') || 'Something failed without a word'
}
