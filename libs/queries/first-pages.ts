import type { Hex } from '../chain/hex.ts'
import { withoutPrefix } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import type { Versioned } from '../tables/table.ts'
import { batch, type SharedRead } from './batch.ts'
import type { Query } from './query.ts'
import { groupBy } from './read-by-keys.ts'
import { currentRows, slackRows, withoutLastGroup } from './read-list.ts'
import type { RunOptions } from './run-options.ts'
import type { Keyed } from './versions.ts'

/** First pages of a list: most subjects have few rows, which one query reads for many of them. */
export interface FirstPages<O, S extends Hex, R, P = R> {
  /** The subject of a first page of the default size; null for all other pages. */
  readonly subjectOf: (options: O) => S | null
  /** Reads the first `rowsMax` rows in order of each of `subjects` (`LIMIT BY`). */
  readonly query: Pick<Query<R>, 'run'>
  readonly subjectOfRow: (row: R) => S
  readonly rowsMax: number
  /** @returns null if the rows do not make the page, and are not all */
  readonly pageOf: (rows: readonly R[]) => readonly P[] | null
  readonly parametersOf?: (run: Partial<RunOptions>) => Readonly<Record<string, number>>
}

/** Rows of a first page of the default size, and the first of the next one. */
export const firstPageRows = 51
/** First pages of one query. */
const pagesMax = 64
/**
 * Rows that a query of first pages may read: it reads all rows of its subjects, and of each part at
 * least some granules. A subject with more is read alone, where the order of the key ends the query
 * after its first rows.
 */
const rowsReadMax = { query: 16_384, page: 4_096 } as const

/** How first pages of a list share a query. */
export function firstPages<O, S extends Hex, R, P = R>(
  options: FirstPages<O, S, R, P>,
): SharedRead<O, readonly P[]> {
  const { subjectOf, query, subjectOfRow, rowsMax, pageOf, parametersOf } = options
  const read = async (store: Store, subjects: readonly S[], run: Partial<RunOptions>) => {
    const parameters = { subjects: subjects.map(withoutPrefix), rowsMax, ...parametersOf?.(run) }
    const limits = { rowsReadMax: rowsReadMax.query + rowsReadMax.page * subjects.length }
    const rows = groupBy(await query.run(store, parameters, limits), subjectOfRow)
    return new Map(
      subjects.flatMap((subject) => {
        const page = pageOf(rows.get(subject) ?? [])
        return page === null ? [] : [[subject, page] as const]
      }),
    )
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
      return subject === null ? null : (found.get(subject) ?? null)
    },
  })
}

/** A page in the order of the key: the first rows, without old versions and tombstones. */
export const firstRows = <R extends Versioned>(
  table: Keyed<R>,
  cursorKey: (row: R) => string,
): Pick<FirstPages<unknown, Hex, R>, 'rowsMax' | 'pageOf'> => {
  const rowsMax = firstPageRows + slackRows
  return {
    rowsMax,
    pageOf(rows) {
      const isWhole = rows.length < rowsMax
      const complete = isWhole ? rows : withoutLastGroup(rows, cursorKey)
      const current = currentRows(table, complete, complete)
      return isWhole || current.length >= firstPageRows ? current.slice(0, firstPageRows) : null
    },
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
