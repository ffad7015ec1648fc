import { put, type Row, type Table, type TableRow } from '../tables/declare/table.ts'

/** The old row, written as a tombstone, and the new one; null if there is none. */
interface RowVersions<R> {
  readonly before: R | null
  readonly after: R | null
  /** Readers ignore rows written before `knownFrom`: the row is written again. */
  readonly isRenewed: boolean
}

interface Forgettable {
  readonly knownFrom: number
}

/** Whether a message raised `knownFrom`, or its revert restored it. */
export const isRenewed = (before?: Forgettable, after?: Forgettable): boolean =>
  before !== undefined && after !== undefined && before.knownFrom !== after.knownFrom

const isSame = <R extends object>(one: R, other: R): boolean => {
  for (const name in one) {
    if (name !== 'isDeleted' && one[name] !== other[name]) return false
  }
  return true
}

/**
 * Rows to write so that a table changes from `before` to `after`. A removed row, or one whose sort
 * key changed, is written as a tombstone with all its columns; an unchanged row is not written,
 * unless `isRenewed`.
 */
export function rowDiff<K extends object, C extends object>(
  table: Table<K, C>,
  { before, after, isRenewed }: RowVersions<Row<Table<K, C>>>,
  isMoved: boolean,
): TableRow[] {
  if (before === null) return after === null ? [] : [put(table, after)]
  if (after === null) return [put(table, before)]
  if (isMoved) return [put(table, before), put(table, after)]
  return !isRenewed && isSame<object>(before, after) ? [] : [put(table, after)]
}
