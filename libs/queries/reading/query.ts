import { readFileSync } from 'node:fs'
import type { QueryParameters, Store } from '../../ports/store.ts'
import { groupId } from '../../tables/declare/group-versions.ts'
import { readRows } from '../../tables/declare/read-rows.ts'
import type { Row, StoredColumn, Table } from '../../tables/declare/table.ts'
import { resultBytesMax } from './read-limits.ts'

/** What one run may read for a page of the default size, independent of the table's size. */
export interface Budget {
  readonly rowsMax: number
  readonly bytesMax: number
}

export interface QueriedTable {
  readonly name: string
  /** Selected columns by name, in their order. */
  readonly columns: ReadonlyMap<string, StoredColumn>
  /** Rows of a granule. */
  readonly granularity: number
}

export interface QueryLimits {
  /** Rows that the server may read. */
  readonly rowsReadMax: number
}

export interface Query<R> {
  /** Name of its `.sql` file, without the extension. */
  readonly name: string
  /** Constant: values are bound parameters. */
  readonly sql: string
  /** For a list of keys that has one; null if the statement has no such list. */
  readonly ofOneKey: OfOneKey | null
  /** For more rows than its blocks have, smallest first; see `largerBlocksOf`. */
  readonly largerBlocks: readonly LargerBlocks[]
  /** The only table that it reads, with the selected columns. */
  readonly table: QueriedTable
  /** The only columns that WHERE and ORDER BY may name. */
  readonly key: readonly string[]
  readonly budget: Budget
  /**
   * Stored rows, all versions included.
   * @param limits bytes of the result, `resultBytesMax` by default; or rows to read
   * @throws StoreUnavailable, ResultTooLarge, TooManyRows
   */
  run(store: Store, parameters: QueryParameters, limits?: number | QueryLimits): Promise<R[]>
}

/**
 * Condition of queries of a table whose rows a hole in the log invalidates. It filters by version,
 * which is correct here: it never keeps an older version of a row and drops the newest.
 */
export const sinceHoleCondition = 'position >= {knownFrom:UInt64}'

interface QueryOptions<K extends object, C extends object> {
  readonly file: URL
  /** The query selects all its columns in their order. */
  readonly table: Table<K, C>
  readonly budget: Budget
}

const declared: Query<unknown>[] = []

/** By the modules that are loaded. */
export const declaredQueries = (): readonly Query<unknown>[] => declared

/**
 * Declares a query whose text is a `.sql` file, as none in `declared.ts` makes it.
 * @throws if the text does not fit the table, see `sqlFor`
 */
export const query = <K extends object, C extends object>(
  options: QueryOptions<K, C>,
): Query<Row<Table<K, C>>> => queryOf({ ...options, text: readFileSync(options.file, 'utf8') })

/**
 * Declares a query: its columns and row type come from the table.
 * @param text begins with `SELECT {columns} FROM`, after comments
 */
export function queryOf<K extends object, C extends object>({
  text,
  ...options
}: QueryOptions<K, C> & { readonly text: string }): Query<Row<Table<K, C>>> {
  const name = options.file.pathname.replace(/^.*\/|\.sql$/g, '')
  const columns = new Map(Object.entries(options.table.storedColumns))
  const sql = sqlFor({ ...options.table, columns: [...columns.keys()] }, { name, text })
  const ofOneKey = ofOneKeyIn(sql)
  const largerBlocks = largerBlocksOf(sql)
  const statementFor = (parameters: QueryParameters) =>
    ofOneKey !== null && hasOne(parameters[ofOneKey.list])
      ? ofOneKey.sql
      : withBlocksAbove({ sql, largerBlocks }, Number(parameters.rowsMax ?? 0))
  const declaredQuery: Query<Row<Table<K, C>>> = {
    name,
    sql,
    ofOneKey,
    largerBlocks,
    table: { name: options.table.name, columns, granularity: options.table.granularity },
    key: Object.keys(options.table.key),
    budget: options.budget,
    async run(store, parameters, limits = resultBytesMax) {
      const group = groupId(options.table.group)
      const bounds =
        typeof limits === 'number' ? { bytesMax: limits } : { bytesMax: resultBytesMax, ...limits }
      const read = { name, sql: statementFor(parameters), parameters, group, ...bounds }
      return await readRows(store, read, options.table.decode)
    },
  }
  declared.push(declaredQuery)
  return declaredQuery
}

interface OfOneKey {
  readonly sql: string
  /** Parameter that has the keys. */
  readonly list: string
}

/** `column IN (SELECT arrayJoin({list:Array(String)}))`, with the functions that decode a key. */
const listOfKeys = /(\w+) IN \(SELECT ([\w(]*?)arrayJoin\((\{(\w+):Array\(String\)\})\)(.*)\)$/m

/**
 * A statement whose list of keys has one compares with that: planning the subquery is a fifth of
 * ClickHouse's time of a small statement (`benchmarks/NOTES.md`, "Statements of one key").
 */
export function ofOneKeyIn(sql: string): OfOneKey | null {
  const list = listOfKeys.exec(sql)?.[4]
  return list === undefined ? null : { sql: sql.replace(listOfKeys, '$1 = $2$3[1]$5'), list }
}

interface LargerBlocks {
  /** Rows of a block. */
  readonly rows: number
  readonly sql: string
}

const blockSize = /\bmax_block_size = (\d+)/
const blockRowsMax = 65_536

/**
 * The same statement with larger blocks, each twice as large. In key order ClickHouse reads blocks
 * ahead, so small ones are better; but where LIMIT is not below the size of a block, its time grows
 * with all rows of a subject (`libs/design/reading.md`).
 */
function largerBlocksOf(sql: string): readonly LargerBlocks[] {
  const least = Number(blockSize.exec(sql)?.[1] ?? blockRowsMax)
  const larger: LargerBlocks[] = []
  for (let rows = least * 2; rows <= blockRowsMax; rows *= 2) {
    larger.push({ rows, sql: sql.replace(blockSize, `max_block_size = ${rows}`) })
  }
  return larger
}

/** With blocks of more rows than the statement returns. */
function withBlocksAbove(
  { sql, largerBlocks }: Pick<Query<unknown>, 'sql' | 'largerBlocks'>,
  rowsMax: number,
): string {
  const [smallest] = largerBlocks
  if (smallest === undefined || rowsMax < smallest.rows / 2) return sql
  return (largerBlocks.find(({ rows }) => rowsMax < rows) ?? largerBlocks.at(-1) ?? { sql }).sql
}

/** All statements that it may send. */
export const formsOf = ({
  sql,
  ofOneKey,
  largerBlocks,
}: Pick<Query<unknown>, 'sql' | 'ofOneKey' | 'largerBlocks'>): readonly string[] => [
  sql,
  ...(ofOneKey === null ? [] : [ofOneKey.sql]),
  ...largerBlocks.map((one) => one.sql),
]

const hasOne = (keys: QueryParameters[string] | undefined): boolean =>
  Array.isArray(keys) && keys.length === 1

/** Replaced by the columns of the table, once, when a query is declared. */
const columnsPlaceholder = '{columns}'

interface SelectedTable extends Pick<Table<object, object>, 'name' | 'stored' | 'beforeHole'> {
  readonly columns: readonly string[]
}

/**
 * The text of a `.sql` file with the columns of its table, and that in its version.
 * @throws if the text lists columns itself, if it reads another table, or if it would read rows
 * that a hole in the log has invalidated
 */
export function sqlFor(
  table: SelectedTable,
  { name, text }: { readonly name: string; readonly text: string },
): string {
  const selected = selectedIn(text)
  if (selected !== columnsPlaceholder) {
    throw new Error(`${name}.sql selects ${selected || 'nothing'}, not ${columnsPlaceholder}`)
  }
  const read = new Set(tablesIn(text))
  if (!read.has(table.name) || read.size > 1) {
    throw new Error(`${name}.sql reads (${[...read].join(', ')}), not only ${table.name}`)
  }
  if (table.beforeHole === 'gone' && !text.includes(sinceHoleCondition)) {
    throw new Error(`${name}.sql lacks ${sinceHoleCondition}`)
  }
  return text
    .replaceAll(columnsPlaceholder, table.columns.map(quoted).join(', '))
    .replaceAll(tableForm, (clause, name) => clause.replace(name, table.stored))
}

const withoutComments = (sql: string): string => sql.replace(/--.*$/gm, '')

/** Names of the tables of all SELECTs and joins. */
const tablesIn = (sql: string): string[] =>
  [...withoutComments(sql).matchAll(tableForm)].flatMap(([, name]) => name ?? [])

const tableForm = /\b(?:FROM|JOIN)\s+(\w+)/g

/** The text between the outermost SELECT and its FROM. */
const selectedIn = (sql: string): string =>
  /^\s*SELECT\s+([\s\S]*?)\sFROM\s/.exec(withoutComments(sql))?.[1] ?? ''

/** Some columns have the names of keywords: `from`, `to`. */
const quoted = (column: string) => `"${column}"`
