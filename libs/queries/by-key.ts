import { type Address, type Hash, withoutPrefix } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import type { Row, Table } from '../tables/declare/table.ts'
import { type Budget, type Query, queryOf, sinceHoleCondition } from './query.ts'
import { groupBy, readByKeys } from './read-by-keys.ts'

/** How keys of a kind are sent, and what makes values of a column of them. */
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

const printed: { readonly file: URL; readonly text: string }[] = []

/** The statements that are made here, by the modules that are loaded. */
export const printedQueries = (): readonly (typeof printed)[number][] => printed

/** Declares the current rows of a table by the first column of its sort key. */
export function byKey<S extends string, K extends object, C extends object>(
  options: ByKeyOptions<S, K, C>,
): RowsByKey<S, Row<Table<K, C>>> {
  const { table, kind, keyOf } = options
  const text = textOf(options)
  printed.push({ file: options.file, text })
  const query = queryOf({ ...options, text })
  const parametersOf = (keys: readonly S[]) => ({ keys: keys.map(kind.sent) })
  const rows = (store: Store, keys: readonly S[]) =>
    readByKeys(store, { query, table, parametersOf }, keys)
  return { query, rows, groups: async (store, keys) => groupBy(await rows(store, keys), keyOf) }
}

function textOf<S, K extends object, C extends object>({
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
