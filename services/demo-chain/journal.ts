import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { replaceFile } from '../../libs/adapters/disk/replace-file.ts'
import { StartupError } from '../../libs/signals/startup-error.ts'
import { hashText, integerNumber } from '../../libs/topics/quantities.ts'

/**
 * The traffic is a function of the seed; what is not, the time of each block, is kept here, a line
 * each. From both the same chain, hash for hash, is made anew when the program starts again.
 */
export interface Journal {
  readonly header: JournalHeader
  /** As they were when it was opened. */
  readonly entries: readonly JournalEntry[]
  /** With those appended since. */
  count(): number
  append(entry: JournalEntry): void
}

const headerForm = z.object({
  seed: integerNumber,
  genesisTime: integerNumber,
  backlogBlocks: integerNumber,
})
export type JournalHeader = z.output<typeof headerForm>

const entryForm = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('mined'),
    number: integerNumber,
    /** Seconds since 1970. */
    time: integerNumber,
    size: z.enum(['backlog', 'live']),
    hash: hashText,
  }),
  z.object({ kind: z.literal('rolled-back'), depth: z.int().positive() }),
])
export type JournalEntry = z.output<typeof entryForm>

/**
 * Opens the journal of a folder, or begins one with `header`.
 * @throws if the folder holds the chain of another seed, or a journal that cannot be read.
 */
export function openJournal(folder: string, header: JournalHeader): Journal {
  const file = join(folder, 'demo-chain.jsonl')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  // What stands behind the last line end was cut off in the middle: that block is made again.
  const whole = lines.slice(0, -1)
  const [first] = whole
  if (first === undefined) {
    replaceFile(file, `${JSON.stringify(header)}\n`)
    return writingTo(file, { header, entries: [] })
  }
  if (lines.at(-1) !== '') {
    replaceFile(file, `${whole.join('\n')}\n`)
  }
  const kept = parsed({ file, number: 1, text: first }, headerForm)
  if (kept.seed !== header.seed) {
    throw new StartupError(
      `${folder} holds the demo chain of seed ${kept.seed}, not ${header.seed}: start with ` +
        'that seed, or remove the folder.',
    )
  }
  const entries = whole
    .slice(1)
    .map((text, index) => parsed({ file, number: index + 2, text }, entryForm))
  return writingTo(file, { header: kept, entries })
}

function writingTo(file: string, kept: Pick<Journal, 'header' | 'entries'>): Journal {
  let count = kept.entries.length
  return {
    ...kept,
    count: () => count,
    append(entry) {
      appendFileSync(file, `${JSON.stringify(entry)}\n`)
      count++
    },
  }
}

interface Line {
  readonly file: string
  readonly number: number
  readonly text: string
}

function parsed<T>({ file, number, text }: Line, form: z.ZodType<T>): T {
  try {
    return form.parse(JSON.parse(text))
  } catch {
    throw new Error(`line ${number} of ${file} cannot be read: remove the folder to begin anew`)
  }
}
