import { bodyName } from './body.ts'
import { unpackedInSql } from './body-sql.ts'
import type { ColumnType } from './columns.ts'
import { isBody, type StoredColumn } from './table.ts'

/** Properties of a column in DDL; columns of any value fit. */
type DeclaredColumn = Pick<ColumnType<unknown>, 'ddl' | 'codec' | 'descending'>

/** Properties of a table in DDL. */
export interface DeclaredTable {
  readonly stored: string
  readonly key: Readonly<Record<string, DeclaredColumn>>
  readonly storedColumns: Readonly<Record<string, StoredColumn>>
  readonly granularity: number
  readonly minmax?: readonly string[]
}

/**
 * CREATE TABLE of a declaration, harmless where it exists.
 *
 * ReplacingMergeTree keeps the highest position of a key; tombstones stay through its merges. No
 * cleanup merges, ever: a message delivered again after one would restore a deleted row.
 */
export function createTable(table: DeclaredTable): string {
  const columns = Object.entries(table.storedColumns).map((entry) => `  ${columnLine(entry)}`)
  const settings = Object.entries(tableSettings(table)).map(([name, value]) => `${name} = ${value}`)
  return [
    `CREATE TABLE IF NOT EXISTS ${table.stored} (`,
    [...columns, ...minmaxIndexes(table)].join(',\n'),
    ')',
    'ENGINE = ReplacingMergeTree(position, isDeleted)',
    `ORDER BY (${sortKey(table)})`,
    'SETTINGS',
    settings.map((line) => `  ${line}`).join(',\n'),
  ].join('\n')
}

/** Name of the view of a table with packed columns. */
export const readableName = (table: string): string => `readable_${table}`

/**
 * CREATE VIEW with the columns of a body, for operators; null for a table without one. All versions
 * of a row are in it, as in the table.
 */
export function createView({ stored, storedColumns }: DeclaredTable): string | null {
  const { [bodyName]: body, ...others } = storedColumns
  if (body === undefined || !isBody(body)) return null
  const { selected, places } = unpackedInSql(body)
  const plain = Object.keys(others)
  const packed = body.columns.map((column) => column.name)
  // A column of the key may lie in the body as well.
  const columns = selected.filter((_, at) => !plain.includes(packed[at] ?? ''))
  return [
    `CREATE VIEW IF NOT EXISTS ${readableName(stored)} AS`,
    ...(places.length === 0 ? [] : [`WITH\n${places.map((one) => `  ${one}`).join(',\n')}`]),
    'SELECT',
    [...plain.map(quoted), ...columns].map((one) => `  ${one}`).join(',\n'),
    `FROM ${stored}`,
  ].join('\n')
}

/** ALTER TABLE that adds a column in its place; rows of before have the default of its type. */
export function addColumn({ stored, storedColumns }: DeclaredTable, column: string): string {
  const entries = Object.entries(storedColumns)
  const at = entries.findIndex(([one]) => one === column)
  const [entry, before] = [entries[at], entries[at - 1]]
  if (entry === undefined || before === undefined)
    throw new Error(`no place of ${stored}.${column}`)
  return `ALTER TABLE ${stored} ADD COLUMN IF NOT EXISTS ${columnLine(entry)} AFTER ${quoted(before[0])}`
}

/** ALTER TABLE that changes settings which may change. */
export const modifySettings = (table: string, settings: readonly string[]): string =>
  `ALTER TABLE ${table} MODIFY SETTING ${settings.join(', ')}`

/** The sort key in order, `DESC` for descending columns. */
export const sortKey = (table: Pick<DeclaredTable, 'key'>): string =>
  Object.entries(table.key)
    .map(([name, type]) => (type.descending ? `${quoted(name)} DESC` : quoted(name)))
    .join(', ')

const quoted = (name: string) => `\`${name}\``

const columnLine = ([name, type]: [string, DeclaredColumn]) =>
  `${quoted(name)} ${type.ddl}${type.codec === null ? '' : ` CODEC(${type.codec})`}`

const minmaxIndexes = ({ minmax = [] }: DeclaredTable) =>
  minmax.map(
    (name) => `  INDEX ${quoted(`${name}Range`)} ${quoted(name)} TYPE minmax GRANULARITY 1`,
  )

const hasDescending = (table: DeclaredTable) =>
  Object.values(table.key).some((type) => type.descending)

export const tableSettings = (table: DeclaredTable): Record<string, number> => ({
  index_granularity: table.granularity,
  // Inputs are long: a granule of 256 of them would be megabytes.
  index_granularity_bytes: 256 * 1024,
  // Compact parts of any size: a page needs all columns of few rows, which then lie together.
  min_bytes_for_wide_part: 2 ** 50,
  min_rows_for_wide_part: 2 ** 50,
  ...(hasDescending(table) ? { allow_experimental_reverse_key: 1 } : {}),
  // Acknowledged means on the disk, names of files included.
  fsync_after_insert: 1,
  fsync_part_directory: 1,
  // A merge replaces parts that are on disk: its result must be synced, too.
  min_rows_to_fsync_after_merge: 1,
  // Of a part where most granules begin with another address the index would have addresses only.
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns: 1,
})
