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
  const lines = [...linesOf(table, 'keys'), 'LIMIT {rowsMax:UInt64}']
  const query = queryOf({ ...options, text: printedTo(file, lines) })
  const { sent } = firstKeyOf(table)
  const parametersOf = (keys: readonly S[]) => ({ keys: keys.map(sent) })
  const rows = (store: Store, keys: readonly S[]) =>
    readByKeys(store, { query, table, parametersOf }, keys)
  const groups = async (store: Store, keys: readonly S[]) => groupBy(await rows(store, keys), keyOf)
  return { query, keyOf, rows, groups }
}

/** Up to the condition that keys are in a list. */
function linesOf(table: DeclaredTable, list: string): readonly string[] {
  const { name, value } = firstKeyOf(table)
  return [
    'SELECT {columns}',
    `FROM ${table.name}`,
    // Of wide rows, all columns would be read for each granule that has a key.
    `${table.hasWideRows ? 'PREWHERE' : 'WHERE'} ${name} IN (SELECT ${value(`arrayJoin({${list}:Array(String)})`)})`,
    ...(table.beforeHole === 'gone' ? [`  AND ${sinceHoleCondition}`] : []),
  ]
}

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
  const isFalling = (name: string) =>
    (table.storedColumns[name]?.descending === true) !== (order === 'reversed')
  const parameter = (name: string) => parameterOf(name, table)
  const beyond = ([name = '', ...rest]: readonly string[]): string => {
    const sign = isFalling(name) ? '<' : '>'
    const value = parameter(name)
    if (rest.length === 0) return `${name} ${sign}${isInclusive ? '=' : ''} ${value}`
    return `(${name} ${sign} ${value} OR (${name} = ${value} AND ${beyond(rest)}))`
  }
  const conditions = [
    ...of.map((name) => `${name} = ${parameter(name)}`),
    beyond(after),
    ...(table.beforeHole === 'gone' ? [sinceHoleCondition] : []),
  ]
  return [
    'SELECT {columns}',
    `FROM ${table.name}`,
    `${table.hasWideRows ? 'PREWHERE' : 'WHERE'} ${conditions.join('\n  AND ')}`,
    `ORDER BY ${columns.map((name) => (isFalling(name) ? `${name} DESC` : name)).join(', ')}`,
    'LIMIT {rowsMax:UInt64}',
    ...(order === 'key' ? [`SETTINGS max_block_size = ${blockRowsInKeyOrder}`] : []),
  ]
}

/** A value of a column, bound to the parameter of its name. */
function parameterOf(name: string, { storedColumns }: DeclaredTable): string {
  const { ddl = '' } = storedColumns[name] ?? {}
  const [, bytes] = fixedBytes.exec(ddl) ?? []
  return bytes === undefined
    ? `{${name}:${ddl}}`
    : `toFixedString(unhex({${name}:String}), ${bytes})`
}

const fixedBytes = /^FixedString\((\d+)\)$/

/**
 * The first column of a sort key: how its values are sent in a list, and the SQL that makes values
 * of what was sent. @throws if it has neither bytes of a known count nor a text
 */
function firstKeyOf({ name: tableName, key, storedColumns }: DeclaredTable) {
  const [name = ''] = Object.keys(key)
  const column = storedColumns[name]
  const [, bytes] = fixedBytes.exec(column?.ddl ?? '') ?? []
  if (bytes !== undefined) {
    const sent = (hex: string) => hex.slice('0x'.length)
    return { name, sent, value: (text: string) => `toFixedString(unhex(${text}), ${bytes})` }
  }
  if (column !== textType) throw new Error(`${tableName} has no list of values of ${name}`)
  return { name, sent: (text: string) => text, value: (text: string) => text }
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
  const sorted = others
    .filter((name) => !by.some((one) => one === name))
    .map((name) => {
      const isDescending = table.storedColumns[name]?.descending === (order === 'key')
      return isDescending ? `${name} DESC` : name
    })
  return [
    ...linesOf(table, 'subjects'),
    ...(order === 'none' ? [] : [`ORDER BY ${sorted.join(', ')}`]),
    `LIMIT {rowsMax:UInt64} BY ${[subject, ...by].join(', ')}`,
    ...(hasLongTexts ? [`SETTINGS max_bytes_to_sort = ${sortedBytesMax}`] : []),
  ]
}
