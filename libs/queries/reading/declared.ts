import type { Store } from '../../ports/store.ts'
import { textType } from '../../tables/declare/columns.ts'
import type { Row, Table } from '../../tables/declare/table.ts'
import { type Budget, type Query, queryOf, sinceHoleCondition } from './query.ts'
import { groupBy, readByKeys } from './read-by-keys.ts'

interface ByKeyOptions<S, K extends object, C extends object> {
  /** Where its statement is printed (`npm run print`). */
  readonly file: URL
  readonly table: Table<K, C>
  /** The first column of the sort key. */
  readonly keyOf: (row: Row<Table<K, C>>) => S
  readonly budget: Budget
}

/** Reads the current rows of some keys. */
export interface RowsByKey<S, R> {
  readonly query: Query<R>
  readonly keyOf: (row: R) => S
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
  const { file, table, keyOf } = options
  const lines = [...linesOf(table, [isInList(table, 'keys')]), 'LIMIT {rowsMax:UInt64}']
  const query = queryOf({ ...options, text: printedTo(file, lines) })
  const sent = sentOf(table)
  const parametersOf = (keys: readonly S[]) => ({ keys: keys.map((key) => sent(key)) })
  const rows = (store: Store, keys: readonly S[]) =>
    readByKeys(store, { query, table, parametersOf }, keys)
  const groups = async (store: Store, keys: readonly S[]) => groupBy(await rows(store, keys), keyOf)
  return { query, keyOf, rows, groups }
}

/** Up to the conditions, with that of rows which a hole in the log invalidates. */
function linesOf(table: DeclaredTable, conditions: readonly string[]): readonly string[] {
  const all = [...conditions, ...(table.beforeHole === 'gone' ? [sinceHoleCondition] : [])]
  return [
    'SELECT {columns}',
    `FROM ${table.name}`,
    // Of wide rows, all columns would be read for each granule that has a key.
    `${table.hasWideRows ? 'PREWHERE' : 'WHERE'} ${all.join('\n  AND ')}`,
  ]
}

/** The first column of the sort key is in a list, a parameter of texts. */
function isInList(table: DeclaredTable, list: string): string {
  const [name = ''] = Object.keys(table.key)
  return `${name} IN (SELECT ${ofText(name, table)(`arrayJoin({${list}:Array(String)})`)})`
}

/** The values of the sort key's first column, as a list of texts has them. */
function sentOf(table: DeclaredTable): (key: string) => string {
  const [name = ''] = Object.keys(table.key)
  return bytesOf(name, table) === null ? (text) => text : (hex) => hex.slice('0x'.length)
}

/**
 * SQL that makes a value of a column of a text: bytes are sent as hex without their prefix.
 * @throws if the column has neither bytes of a known count nor a text
 */
function ofText(name: string, table: DeclaredTable): (text: string) => string {
  const bytes = bytesOf(name, table)
  if (bytes !== null) return (text) => `toFixedString(unhex(${text}), ${bytes})`
  if (table.storedColumns[name] === textType) return (text) => text
  throw new Error(`${table.name} has no list of values of ${name}`)
}

/** A value of a column, bound to the parameter of its name. */
const parameterOf = (name: string, table: DeclaredTable): string =>
  bytesOf(name, table) === null
    ? `{${name}:${table.storedColumns[name]?.ddl}}`
    : ofText(name, table)(`{${name}:String}`)

/** Null if it is no column of bytes of a known count. */
function bytesOf(name: string, { storedColumns }: DeclaredTable): number | null {
  const [, bytes] = /^FixedString\((\d+)\)$/.exec(storedColumns[name]?.ddl ?? '') ?? []
  return bytes === undefined ? null : Number(bytes)
}

/** Whether the values of a column fall where the table is read in that order. */
const isFalling = (name: string, { storedColumns }: DeclaredTable, order: 'key' | 'reversed') =>
  (storedColumns[name]?.descending === true) !== (order === 'reversed')

const orderBy = (
  names: readonly string[],
  table: DeclaredTable,
  order: 'key' | 'reversed',
): string =>
  `ORDER BY ${names.map((name) => (isFalling(name, table, order) ? `${name} DESC` : name)).join(', ')}`

type DeclaredTable = Pick<
  Table<object, object>,
  'name' | 'key' | 'storedColumns' | 'beforeHole' | 'hasWideRows'
>

interface RangeOptions<K extends object, C extends object> {
  readonly file: URL
  readonly table: Table<K, C>
  /** The first columns of the sort key: rows have these values. */
  readonly of: readonly (string & keyof K)[]
  /** The columns after them: rows come after these values in the order that is read. */
  readonly after: readonly (string & keyof K)[]
  /** Rows with exactly these values belong to the range, too. */
  readonly isInclusive?: boolean
  /** That of the sort key, or all of it reversed. */
  readonly order: 'key' | 'reversed'
  readonly budget: Budget
}

/** In key order the server reads far ahead, unless its blocks are small. */
const blockRowsInKeyOrder = 1_024

/**
 * Declares a range of the sort key: the first rows after a place. Its parameters are named as the
 * columns, bytes without their prefix. A comparison of tuples would not use the key; conditions of
 * one column each do.
 */
export function range<K extends object, C extends object>(
  options: RangeOptions<K, C>,
): Query<Row<Table<K, C>>> {
  return queryOf({ ...options, text: printedTo(options.file, rangeLines(options)) })
}

function rangeLines<K extends object, C extends object>({
  table,
  of,
  after,
  isInclusive = false,
  order,
}: RangeOptions<K, C>): readonly string[] {
  const columns = Object.keys(table.key)
  if ([...of, ...after].some((name, at) => name !== columns[at]))
    throw new Error(`${table.name} is not sorted by ${[...of, ...after].join(', ')}`)
  const beyond = ([name = '', ...rest]: readonly string[]): string => {
    const sign = isFalling(name, table, order) ? '<' : '>'
    const value = parameterOf(name, table)
    if (rest.length === 0) return `${name} ${sign}${isInclusive ? '=' : ''} ${value}`
    return `(${name} ${sign} ${value} OR (${name} = ${value} AND ${beyond(rest)}))`
  }
  const fixed = of.map((name) => `${name} = ${parameterOf(name, table)}`)
  return [
    ...linesOf(table, [...fixed, beyond(after)]),
    orderBy(columns, table, order),
    'LIMIT {rowsMax:UInt64}',
    ...(order === 'key' ? [`SETTINGS max_block_size = ${blockRowsInKeyOrder}`] : []),
  ]
}

function printedTo(file: URL, lines: readonly string[]): string {
  const text = `${lines.join('\n')}\n`
  printed.push({ file, text: `-- Printed from its declaration: npm run print\n${text}` })
  return text
}

/** That the server holds while it sorts: a query with more fails, its subjects are read alone. */
const sortedBytesMax = 64 * 1024 * 1024

interface FirstRowsOptions<K extends object, C extends object> {
  readonly file: URL
  readonly table: Table<K, C>
  /** That of the sort key, all of it reversed, or any: the reader sorts. */
  readonly order: 'key' | 'reversed' | 'none'
  /** Columns after the subject: each of their values has first rows of its own. */
  readonly by?: readonly (string & keyof K)[]
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
  return queryOf({ ...options, text: printedTo(options.file, firstRowsLines(options)) })
}

function firstRowsLines<K extends object, C extends object>({
  table,
  order,
  by = [],
  hasLongTexts = false,
}: FirstRowsOptions<K, C>): readonly string[] {
  const [subject = '', ...others] = Object.keys(table.key)
  const sorted = others.filter((name) => !by.some((one) => one === name))
  return [
    ...linesOf(table, [isInList(table, 'subjects')]),
    ...(order === 'none' ? [] : [orderBy(sorted, table, order)]),
    `LIMIT {rowsMax:UInt64} BY ${[subject, ...by].join(', ')}`,
    ...(hasLongTexts ? [`SETTINGS max_bytes_to_sort = ${sortedBytesMax}`] : []),
  ]
}
