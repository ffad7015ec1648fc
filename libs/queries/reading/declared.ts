import { type Address, type Hash, withoutPrefix } from '../../chain/hex.ts'
import type { Store } from '../../ports/store.ts'
import type { Row, Table } from '../../tables/declare/table.ts'
import { type Budget, type Query, queryOf, sinceHoleCondition } from './query.ts'
import { groupBy, readByKeys } from './read-by-keys.ts'

/** Keys of one type of column: as a parameter has them, and the SQL that makes them of that. */
interface KeyKind<S> {
  readonly sent: (key: S) => string
  readonly value: (sent: string) => string
}

export const addressKeys: KeyKind<Address> = {
  sent: withoutPrefix,
  value: (sent) => `toFixedString(unhex(${sent}), 20)`,
}
export const hashKeys: KeyKind<Hash> = {
  sent: withoutPrefix,
  value: (sent) => `toFixedString(unhex(${sent}), 32)`,
}
export const textKeys: KeyKind<string> = { sent: (key) => key, value: (sent) => sent }

interface ByKeyOptions<S, K extends object, C extends object> {
  /** Where its statement is printed (`npm run print`). */
  readonly file: URL
  readonly table: Table<K, C>
  /** The first one of the sort key. */
  readonly column: string & keyof K
  readonly kind: KeyKind<S>
  readonly keyOf: (row: Row<Table<K, C>>) => S
  /** Of tables with long columns, which are read of the rows that were found. */
  readonly isPrewhere?: boolean
  readonly budget: Budget
}

interface RowsByKey<S, R> {
  readonly query: Query<R>
  /** Unordered. @throws as `readByKeys` */
  readonly rows: (store: Store, keys: readonly S[]) => Promise<R[]>
  readonly groups: (store: Store, keys: readonly S[]) => Promise<Map<S, R[]>>
}

/** Statements that are made here: `npm run print` writes their files. */
const printed: { readonly file: URL; readonly text: string }[] = []

/** Those of the modules that are loaded. */
export const printedQueries = (): readonly (typeof printed)[number][] => printed

/** Declares the current rows of a table by the first column of its sort key. */
export function byKey<S extends string, K extends object, C extends object>(
  options: ByKeyOptions<S, K, C>,
): RowsByKey<S, Row<Table<K, C>>> {
  const { table, kind, keyOf } = options
  const query = queryOf({ ...options, text: printedTo(options.file, byKeyText(options)) })
  const parametersOf = (keys: readonly S[]) => ({ keys: keys.map(kind.sent) })
  const rows = (store: Store, keys: readonly S[]) =>
    readByKeys(store, { query, table, parametersOf }, keys)
  return { query, rows, groups: async (store, keys) => groupBy(await rows(store, keys), keyOf) }
}

function byKeyText<S, K extends object, C extends object>({
  table,
  column,
  kind,
  isPrewhere = false,
}: ByKeyOptions<S, K, C>): string {
  const list = kind.value('arrayJoin({keys:Array(String)})')
  return [
    'SELECT {columns}',
    `FROM ${table.name}`,
    `${isPrewhere ? 'PREWHERE' : 'WHERE'} ${column} IN (SELECT ${list})`,
    ...(table.beforeHole === 'gone' ? [`  AND ${sinceHoleCondition}`] : []),
    'LIMIT {rowsMax:UInt64}',
    '',
  ].join('\n')
}

function printedTo(file: URL, text: string): string {
  printed.push({ file, text: `-- Printed from its declaration: npm run print\n${text}` })
  return text
}

/** That the server holds while it sorts: a query with more fails, its subjects are read alone. */
const sortedBytesMax = 64 * 1024 * 1024

interface FirstRowsOptions<K extends object, C extends object> {
  readonly file: URL
  readonly table: Table<K, C>
  readonly kind: KeyKind<Address> | KeyKind<Hash>
  /** That of the sort key, all of it reversed, or any: the reader sorts. */
  readonly order: 'key' | 'reversed' | 'none'
  /** Columns after the subject: each of their values has first rows of its own. */
  readonly by?: readonly (string & keyof K)[]
  readonly isPrewhere?: boolean
  /** Rows have texts of strangers, which the server holds while it sorts them. */
  readonly hasLongTexts?: boolean
  readonly budget: Budget
}

/**
 * Declares the first rows of several subjects, each the first column of the sort key. The server
 * reads all rows of these subjects, `rowsReadMax` bounds how many, and sorts them: in the order of
 * the whole key it would merge granules of each part, which takes a third longer.
 */
export function firstRowsOfSubjects<K extends object, C extends object>(
  options: FirstRowsOptions<K, C>,
): Query<Row<Table<K, C>>> {
  return queryOf({ ...options, text: printedTo(options.file, firstRowsText(options)) })
}

function firstRowsText<K extends object, C extends object>({
  table,
  kind,
  order,
  by = [],
  isPrewhere = false,
  hasLongTexts = false,
}: FirstRowsOptions<K, C>): string {
  const [subject = '', ...others] = Object.keys(table.key)
  const sorted = others
    .filter((name) => !by.some((one) => one === name))
    .map((name) => {
      const isDescending = table.storedColumns[name]?.descending === (order === 'key')
      return isDescending ? `${name} DESC` : name
    })
  const list = kind.value('arrayJoin({subjects:Array(String)})')
  return [
    'SELECT {columns}',
    `FROM ${table.name}`,
    `${isPrewhere ? 'PREWHERE' : 'WHERE'} ${subject} IN (SELECT ${list})`,
    ...(table.beforeHole === 'gone' ? [`  AND ${sinceHoleCondition}`] : []),
    ...(order === 'none' ? [] : [`ORDER BY ${sorted.join(', ')}`]),
    `LIMIT {rowsMax:UInt64} BY ${[subject, ...by].join(', ')}`,
    ...(hasLongTexts ? [`SETTINGS max_bytes_to_sort = ${sortedBytesMax}`] : []),
    '',
  ].join('\n')
}
