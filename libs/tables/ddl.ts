import type { ColumnType } from './columns.ts'

/** Properties of a column in DDL; columns of any value fit. */
export type DeclaredColumn = Pick<ColumnType<unknown>, 'ddl' | 'codec' | 'descending'>

/** Properties of a table in DDL. */
export interface DeclaredTable {
  readonly name: string
  readonly key: Readonly<Record<string, DeclaredColumn>>
  readonly allColumns: Readonly<Record<string, DeclaredColumn>>
  readonly granularity: number
}

/**
 * CREATE TABLE of a declaration.
 *
 * ReplacingMergeTree keeps the highest position of a key; tombstones stay through its merges. No
 * cleanup merges, ever: a message delivered again after one would restore a deleted row.
 */
export function createTable(table: DeclaredTable): string {
  const columns = Object.entries(table.allColumns).map((entry) => `  ${columnLine(entry)}`)
  const settings = Object.entries(tableSettings(table)).map(([name, value]) => `${name} = ${value}`)
  return [
    `CREATE TABLE ${table.name} (`,
    columns.join(',\n'),
    ')',
    'ENGINE = ReplacingMergeTree(position, isDeleted)',
    `ORDER BY (${sortKey(table)})`,
    'SETTINGS',
    settings.map((line) => `  ${line}`).join(',\n'),
  ].join('\n')
}

/** The sort key in order, `DESC` for descending columns. */
export const sortKey = (table: DeclaredTable): string =>
  Object.entries(table.key)
    .map(([name, type]) => (type.descending ? `${quoted(name)} DESC` : quoted(name)))
    .join(', ')

const quoted = (name: string) => `\`${name}\``

const columnLine = ([name, type]: [string, DeclaredColumn]) =>
  `${quoted(name)} ${type.ddl}${type.codec === null ? '' : ` CODEC(${type.codec})`}`

const hasDescending = (table: DeclaredTable) =>
  Object.values(table.key).some((type) => type.descending)

const tableSettings = (table: DeclaredTable): Record<string, number> => ({
  index_granularity: table.granularity,
  // Inputs are long: a granule of 256 of them would be megabytes.
  index_granularity_bytes: 256 * 1024,
  ...(hasDescending(table) ? { allow_experimental_reverse_key: 1 } : {}),
  // Acknowledged means on the disk, names of files included.
  fsync_after_insert: 1,
  fsync_part_directory: 1,
  // A merge replaces parts that were on the disk already: what it writes must be there as surely.
  min_rows_to_fsync_after_merge: 1,
})
