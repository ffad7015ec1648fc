import { position } from '../../../libs/chain/position.ts'
import type { Store } from '../../../libs/ports/store.ts'
import { RowSink } from '../../../libs/tables/declare/row-binary.ts'
import type { Row } from '../../../libs/tables/declare/table.ts'
import { progress, progressName } from '../../../libs/tables/tables/progress.ts'

/**
 * Marks: rows of `progress` beside those of the groups, with the hash of the log up to a position.
 * A truncated or other log does not match the newest one.
 *
 * Topics of facts have earlier ones, too: the newest that matches shows how far a topic is the
 * same. Of each level two are kept, of the last two times that a multiple of its step was passed;
 * where one write passes several multiples, maybe one. So however much was lost there is a mark
 * before it, at most 32 times as old as what was lost and the largest write together.
 */
const step = 16
/** 16^13 is 2^52: enough for every position. */
const levels = Array.from({ length: 13 }, (_, at) => ({ level: at + 1, span: step ** (at + 1) }))

const nameOf = (reader: string, { level, span }: (typeof levels)[number], at: number) =>
  `${reader}|${level}.${Math.floor(at / span) % 2}`

/**
 * The first message, written before the first row: it identifies the log. Without it, rows of an
 * unfinished first flush could belong to any log.
 */
export const firstMarkOf = (reader: string): string => `${reader}|first`

/**
 * How far a flush will have come, written before its rows: a kill may leave rows above the newest
 * mark, and their messages may be lost then.
 */
export const aheadMarkOf = (group: string): string => `${group}|ahead`

/** Names of all marks of a reader except the newest, which has the reader's own name. */
export const olderMarksOf = (reader: string): readonly string[] =>
  levels.flatMap((level) => [nameOf(reader, level, 0), nameOf(reader, level, level.span)])

/** Names of the marks that are written with a reader's step to `now`. */
export const marksPassed = (reader: string, before: number, now: number): readonly string[] => [
  reader,
  ...levels
    .filter(({ span }) => Math.floor(now / span) > Math.floor(before / span))
    .map((level) => nameOf(reader, level, now)),
]

export type ProgressRow = Row<typeof progress>
/** All but the position may be omitted. */
export type Reached = { readonly position: number } & Partial<
  Omit<ProgressRow, 'group' | 'position' | 'isDeleted'>
>

/** The same for each of these names: of a group and its marks, in this version of it. */
export const progressRows = (names: readonly string[], reached: Reached): ProgressRow[] =>
  names.map((name) => ({
    blockNumber: null,
    blockHash: null,
    timestamp: null,
    knownFrom: 0,
    logHash: null,
    ...reached,
    group: progressName(name),
    position: position(reached.position),
    isDeleted: 0,
  }))

/** In one insert: all of them, or none. */
export async function writeProgress(store: Store, rows: readonly ProgressRow[]): Promise<void> {
  const sink = new RowSink()
  for (const row of rows) progress.encode(sink, row)
  await store.insert(progress.stored, Object.keys(progress.allColumns), {
    bytes: sink.bytes(),
    count: rows.length,
  })
}
