import type { Row, Table } from '../tables/table.ts'
import { put, type TableRow } from '../tables/table-row.ts'

/** A row as it was, written as a tombstone, and as it is; null where there is none. */
export interface Versions<R> {
  readonly gone: R | null
  readonly here: R | null
  /** Readers take what was written so far for forgotten: it is written again. */
  readonly isRenewed: boolean
}

interface Forgettable {
  readonly knownFrom: number
}

/** Whether a message forgot all that was known before it, and this with it, or took that back. */
export const isRenewed = (before?: Forgettable, after?: Forgettable): boolean =>
  before !== undefined && after !== undefined && before.knownFrom !== after.knownFrom

const isSame = <R extends object>(one: R, other: R): boolean => {
  for (const name in one) {
    if (name !== 'isDeleted' && one[name] !== other[name]) return false
  }
  return true
}

/**
 * What has to be written so that a table says `here` where it said `gone`: a row that vanished or
 * whose key moved leaves a tombstone with all that it held; the same row again is nothing, unless
 * readers have forgotten it.
 */
export function rowsBetween<K extends object, C extends object>(
  table: Table<K, C>,
  { gone, here, isRenewed }: Versions<Row<Table<K, C>>>,
  isMoved: boolean,
): TableRow[] {
  if (gone === null) return here === null ? [] : [put(table, here)]
  if (here === null) return [put(table, gone)]
  if (isMoved) return [put(table, gone), put(table, here)]
  return !isRenewed && isSame<object>(gone, here) ? [] : [put(table, here)]
}
