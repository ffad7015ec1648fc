import { bodyName } from '../../libs/tables/declare/body.ts'
import { type DeclaredTable, readableName, sortKey } from '../../libs/tables/declare/ddl.ts'
import { groupVersions } from '../../libs/tables/declare/group-versions.ts'
import { isBody, type Phase, type TableOptions } from '../../libs/tables/declare/table.ts'

/** What the page shows of a table. */
type ShownTable = DeclaredTable &
  Pick<
    TableOptions<object, object>,
    | 'name'
    | 'serves'
    | 'isOfAllVersions'
    | 'group'
    | 'source'
    | 'subject'
    | 'phase'
    | 'isCached'
    | 'hasThrottledStats'
    | 'invalidatedWith'
  > & {
    readonly beforeHole?: 'gone' | object
  }

/** STORE.md. */
export function storePage(tables: readonly ShownTable[]): string {
  const rows = tables.map(
    (table) =>
      `| [${table.name}](#${table.name}) | ${table.group} | ${table.source} | ${sortKey(table)} | ` +
      `${table.granularity} | ${versionOf(table)} |`,
  )
  return [
    '# Tables',
    'Printed from the declarations in this folder by `npm run print`; a test fails when it is stale. ' +
      'Each table is a ReplacingMergeTree(position, isDeleted): of all rows of a key the one with the highest ' +
      'position is current, and tombstones contain the whole row. Queries filter and sort by ' +
      'key columns; `libs/queries/query-rules.spec.ts` lists the exceptions. The version is that of the ' +
      'group: from the second on it ends the name of the table in ClickHouse (`holders_state_2`).',
    ['| table | group | topic | sort key | rows a granule | version |', '|---|---|---|---|---|---|']
      .concat(rows)
      .join('\n'),
    ...tables.map(section),
  ]
    .join('\n\n')
    .concat('\n')
}

const versionOf = ({ isOfAllVersions, group }: ShownTable) =>
  isOfAllVersions ? 'all' : groupVersions[group]

const phaseRemarks: Readonly<Record<Phase, string>> = {
  rows: 'Written first in a flush.',
  existence: 'Written after what belongs to its rows, because it proves existence.',
  lists: 'Written last, with the other lists of transactions.',
}

/** What else is declared of a table, each in one sentence. */
const remarksOn = (table: ShownTable): string[] => [
  ...(table.beforeHole === undefined ? [] : [beforeHole(table.beforeHole)]),
  ...(table.phase === undefined ? [] : [phaseRemarks[table.phase]]),
  ...(bodyName in table.storedColumns
    ? [`The view \`${readableName(table.stored)}\` shows the columns in \`${bodyName}\`.`]
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
