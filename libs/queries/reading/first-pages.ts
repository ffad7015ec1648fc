import { type Hex, withoutPrefix } from '../../chain/hex.ts'
import type { Store } from '../../ports/store.ts'
import type { Versioned } from '../../tables/declare/table.ts'
import { batch, type SharedRead } from './batch.ts'
import type { Query } from './query.ts'
import { groupBy } from './read-by-keys.ts'
import { currentRows, slackRows, withoutLastGroup } from './read-list.ts'
import type { RunOptions } from './run-options.ts'
import type { Keyed } from './versions.ts'

/** The first rows of a list, without old versions and tombstones. */
export interface FirstRows<P> {
  readonly rows: readonly P[]
  /** Whether the list has no further ones. */
  readonly isWhole: boolean
}

/** First pages of a list: most subjects have few rows, which one query reads for many of them. */
export interface FirstPages<O, S extends Hex, R, P = R> {
  /** The subject of a page that first rows may make; null for all other pages. */
  readonly subjectOf: (options: O) => S | null
  /** Reads the first `rowsMax` rows in order of each of `subjects` (`LIMIT BY`). */
  readonly query: Pick<Query<R>, 'run' | 'table'>
  readonly subjectOfRow: (row: R) => S
  readonly rowsMax: number
  /** Reads what rows of the query lack; those that need more stay as they are. */
  readonly filled?: (store: Store, rows: readonly R[]) => Promise<readonly R[]>
  /** Of a row whose length others choose, the characters of their texts. */
  readonly lengthOf?: (row: R) => number
  /** @returns null if the rows do not make a page of the default size, and are not all */
  readonly firstRowsOf: (rows: readonly R[]) => FirstRows<P> | null
  /** @returns null if the page needs others */
  readonly pageOf: (first: FirstRows<P>, options: O) => readonly P[] | null
  readonly parametersOf?: (run: Partial<RunOptions>) => Readonly<Record<string, number>>
}

/** Rows of a first page of the default size, and the first of the next one. */
export const firstPageRows = 51
/** What a summary reads of a transaction, and more than most transactions have. */
export const ofOneTransactionRows = 240
/** First pages of one query. */
const pagesMax = 64
/** Of the rows of one subject; longer ones are read alone, where large results have slots. */
const subjectLengthMax = 256 * 1024
/**
 * Rows that a query of first pages may read: it reads all rows of its subjects, and at least a
 * granule of each part for each of them; 16 granules on average. A subject with more is read alone,
 * where the order of the key ends the query after its first rows.
 */
export const rowsReadMaxOf = ({ table }: Pick<Query<unknown>, 'table'>, subjects: number): number =>
  16_384 + 16 * table.granularity * subjects

/** How first pages of a list share a query. */
export function firstPages<O, S extends Hex, R, P = R>(
  options: FirstPages<O, S, R, P>,
): SharedRead<O, readonly P[]> {
  const { subjectOf, query, subjectOfRow, rowsMax, firstRowsOf, pageOf, parametersOf } = options
  const { lengthOf = () => 0, filled = async (_, rows) => rows } = options
  const firstOf = (rows: readonly R[]) => {
    const length = rows.reduce((sum, row) => sum + lengthOf(row), 0)
    return length > subjectLengthMax ? null : firstRowsOf(rows)
  }
  const read = async (store: Store, subjects: readonly S[], run: Partial<RunOptions>) => {
    const parameters = { subjects: subjects.map(withoutPrefix), rowsMax, ...parametersOf?.(run) }
    const limits = { rowsReadMax: rowsReadMaxOf(query, subjects.length) }
    const found = await filled(store, await query.run(store, parameters, limits))
    const rows = groupBy(found, subjectOfRow)
    return new Map(subjects.map((subject) => [subject, firstOf(rows.get(subject) ?? [])]))
  }
  return batch({
    keysOf(given: O) {
      const subject = subjectOf(given)
      return subject === null ? null : [subject]
    },
    idOf: (subject: S) => subject,
    read,
    keysMax: pagesMax,
    resultOf(found, given) {
      const subject = subjectOf(given)
      const first = subject === null ? null : (found.get(subject) ?? null)
      return first === null ? null : pageOf(first, given)
    },
  })
}

/** A page from the start of the list. */
export const pageFromStart = <P>(
  { rows, isWhole }: FirstRows<P>,
  { limit }: { readonly limit: number },
): readonly P[] | null => (isWhole || rows.length >= limit ? rows.slice(0, limit) : null)

/** Of a list in the order of its key. */
export const firstRows = <R extends Versioned>(
  table: Keyed<R>,
  cursorKey: (row: R) => string,
  rowsMax = firstPageRows + slackRows,
): Pick<FirstPages<{ limit: number }, Hex, R>, 'rowsMax' | 'firstRowsOf' | 'pageOf'> => {
  return {
    rowsMax,
    firstRowsOf(rows) {
      const isWhole = rows.length < rowsMax
      const complete = isWhole ? rows : withoutLastGroup(rows, cursorKey)
      const current = currentRows(table, complete, complete)
      return isWhole || current.length >= rowsMax - slackRows ? { rows: current, isWhole } : null
    },
    pageOf: pageFromStart,
  }
}

/** For a question with several lists: options belong to one of them at most. */
export const firstOf = <O, R>(lists: readonly SharedRead<O, R>[]): SharedRead<O, R> => ({
  async run(...given) {
    for (const list of lists) {
      const found = await list.run(...given)
      if (found !== null) return found
    }
    return null
  },
})
