import { bodyName } from '../../libs/tables/declare/body.ts'
import { unpackedInSql } from '../../libs/tables/declare/body-sql.ts'
import type { ColumnType } from '../../libs/tables/declare/columns.ts'
import { isBody, type StoredColumn, type TableOptions } from '../../libs/tables/declare/table.ts'

/** What the page shows of a table. */
type ShownTable = DeclaredTable &
  Pick<
    TableOptions<object, object>,
    | 'serves'
    | 'group'
    | 'source'
    | 'subject'
    | 'provesExistence'
    | 'isCached'
    | 'hasThrottledStats'
    | 'invalidatedWith'
  > & {
    readonly beforeHole?: 'gone' | object
    readonly version: number
  }

/** STORE.md. */
export function storePage(tables: readonly ShownTable[]): string {
  const rows = tables.map(
    (table) =>
      `| [${table.name}](#${table.name}) | ${table.group} | ${table.source} | ${sortKey(table)} | ` +
      `${table.granularity} | ${table.version} |`,
  )
  return [
    '# Tables',
    'Printed from the declarations in this folder by `npm run print`; a test fails when it is stale. ' +
      'Each table is a ReplacingMergeTree(position, isDeleted): of all rows of a key the one with the highest ' +
      'position is current, and tombstones contain the whole row. Queries filter and sort by ' +
      'key columns; `libs/queries/query-rules.spec.ts` lists the exceptions.',
    ['| table | group | topic | sort key | rows a granule | version |', '|---|---|---|---|---|---|']
      .concat(rows)
      .join('\n'),
    ...tables.map(section),
  ]
    .join('\n\n')
    .concat('\n')
}

/** What else is declared of a table, each in one sentence. */
const remarksOn = (table: ShownTable): string[] => [
  ...(table.beforeHole === undefined ? [] : [beforeHole(table.beforeHole)]),
  ...(table.provesExistence ? ['Written last in a flush, because it proves existence.'] : []),
  ...(bodyName in table.storedColumns
    ? [`The view \`${readableName(table.name)}\` shows the columns in \`${bodyName}\`.`]
    : []),
  ...(table.isCached ? ['Its rows are in the shared cache, too.'] : []),
  ...(table.hasThrottledStats ? ['Changes of stats only are announced separately.'] : []),
  ...invalidation(table),
]

/** What the log's last hole makes of rows written before it. */
function beforeHole(columns: 'gone' | object): string {
  if (columns === 'gone') return 'Rows written before the last hole in the log do not count.'
  const names = Object.keys(columns).join(', ')
  return `Of rows written before the last hole in the log ${names} are not known.`
}

function invalidation({ subject, invalidatedWith }: ShownTable): string[] {
  if (invalidatedWith === 'nothing') return ['No answer is made from it.']
  if (invalidatedWith !== undefined)
    return [`Answers depend on ${invalidatedWith.name}, which changes with it.`]
  if (subject === undefined) return []
  return [
    subject === 'key'
      ? 'A change invalidates single rows, by the whole key.'
      : `A change invalidates all rows, as \`${subject.ofAll}\`.`,
  ]
}

const section = (table: ShownTable): string => {
  const keyNames = new Set(Object.keys(table.key))
  const rows = Object.entries(table.storedColumns).flatMap(([name, column]) => {
    const { ddl, codec, descending } = column
    const direction = descending ? 'greatest first' : 'least first'
    const row = `| ${name} | ${ddl} | ${keyNames.has(name) ? direction : ''} | ${codec ?? ''} |`
    const packed = isBody(column) ? column.columns : []
    return [row, ...packed.map((one) => `| ${one.name} | ${one.ddl} | | in \`${name}\` |`)]
  })
  return [
    `## ${table.name}`,
    [`Serves ${table.serves}.`, ...remarksOn(table)].join(' '),
    ['| column | type | in the key | codec |', '|---|---|---|---|'].concat(rows).join('\n'),
  ].join('\n\n')
}

/** Properties of a column in DDL; columns of any value fit. */
type DeclaredColumn = Pick<ColumnType<unknown>, 'ddl' | 'codec' | 'descending'>

/** Properties of a table in DDL. */
interface DeclaredTable {
  readonly name: string
  readonly key: Readonly<Record<string, DeclaredColumn>>
  readonly storedColumns: Readonly<Record<string, StoredColumn>>
  readonly granularity: number
  readonly minmax?: readonly string[]
}

/**
 * CREATE TABLE of a declaration.
 *
 * ReplacingMergeTree keeps the highest position of a key; tombstones stay through its merges. No
 * cleanup merges, ever: a message delivered again after one would restore a deleted row.
 */
export function createTable(table: DeclaredTable): string {
  const columns = Object.entries(table.storedColumns).map((entry) => `  ${columnLine(entry)}`)
  const settings = Object.entries(tableSettings(table)).map(([name, value]) => `${name} = ${value}`)
  return [
    `CREATE TABLE ${table.name} (`,
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
export function createView({ name, storedColumns }: DeclaredTable): string | null {
  const { [bodyName]: body, ...others } = storedColumns
  if (body === undefined || !isBody(body)) return null
  const { selected, places } = unpackedInSql(body)
  const plain = Object.keys(others)
  const packed = body.columns.map((column) => column.name)
  // A column of the key may lie in the body as well.
  const columns = selected.filter((_, at) => !plain.includes(packed[at] ?? ''))
  return [
    `CREATE VIEW ${readableName(name)} AS`,
    ...(places.length === 0 ? [] : [`WITH\n${places.map((one) => `  ${one}`).join(',\n')}`]),
    'SELECT',
    [...plain.map(quoted), `toUInt8(ascii(${bodyName})) AS bodyForm`, ...columns]
      .map((one) => `  ${one}`)
      .join(',\n'),
    `FROM ${name}`,
  ].join('\n')
}

/** The sort key in order, `DESC` for descending columns. */
const sortKey = (table: DeclaredTable): string =>
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

const tableSettings = (table: DeclaredTable): Record<string, number> => ({
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
