import { type DeclaredTable, sortKey } from './ddl.ts'
import type { GroupName, SourceTopic } from './table.ts'

/** A table with the version of its read model, as the page shows it. */
export interface PageEntry {
  readonly table: DeclaredTable & {
    readonly serves: string
    readonly group: GroupName
    readonly source: SourceTopic
    readonly beforeHole?: 'gone' | object
  }
  readonly version: number
}

/** The page of all tables, as Markdown. */
export function storePage(entries: readonly PageEntry[]): string {
  const rows = entries.map(
    ({ table, version }) =>
      `| [${table.name}](#${table.name}) | ${table.group} | ${table.source} | ${sortKey(table)} | ` +
      `${table.granularity} | ${version} |`,
  )
  return [
    '# Tables',
    'Printed from the declarations in this folder by `npm run print`; a test fails when it is stale. ' +
      'Each table is a ReplacingMergeTree(position, isDeleted): of all rows of a key the one with the highest ' +
      'position is current, and tombstones contain the whole row. Queries filter and sort by key columns only.',
    ['| table | group | topic | sort key | rows a granule | version |', '|---|---|---|---|---|---|']
      .concat(rows)
      .join('\n'),
    ...entries.map(section),
  ]
    .join('\n\n')
    .concat('\n')
}

/** What the log's last hole makes of rows written before it. */
function beforeHole({ beforeHole }: PageEntry['table']): string {
  if (beforeHole === undefined) return ''
  if (beforeHole === 'gone') return ' Rows written before the last hole in the log do not count.'
  const columns = Object.keys(beforeHole).join(', ')
  return ` Of rows written before the last hole in the log ${columns} are not known.`
}

const section = ({ table }: PageEntry): string => {
  const keyNames = new Set(Object.keys(table.key))
  const rows = Object.entries(table.allColumns).map(([name, { ddl, codec, descending }]) => {
    const direction = descending ? 'greatest first' : 'least first'
    return `| ${name} | ${ddl} | ${keyNames.has(name) ? direction : ''} | ${codec ?? ''} |`
  })
  return [
    `## ${table.name}`,
    `Serves ${table.serves}.${beforeHole(table)}`,
    ['| column | type | in the key | codec |', '|---|---|---|---|'].concat(rows).join('\n'),
  ].join('\n\n')
}
