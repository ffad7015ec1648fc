import { type GroupName, groupId } from '../../libs/tables/declare/group-versions.ts'
import { allTables } from '../../libs/tables/tables/all-tables.ts'

/** Groups that fold topic `blocks`. */
const groups: readonly GroupName[] = ['ledger', 'state']

const begin = '<!-- statements: printed by npm run print -->'
const end = '<!-- statements: end -->'

/** The runbook with the statements that empty each group. @throws if the markers are missing */
export function withStatements(page: string): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`the page lacks the markers ${begin} and ${end}`)
  const printed = groups.map(statementsOf).join('\n\n')
  return `${page.slice(0, from + begin.length)}\n\n${printed}\n\n${page.slice(to)}`
}

function statementsOf(group: GroupName): string {
  const own = allTables.filter((table) => table.group === group && table.isOfAllVersions !== true)
  const id = groupId(group)
  return [
    `-- Group ${group}`,
    ...own.map(({ stored }) => `TRUNCATE TABLE foldscan.${stored};`),
    `ALTER TABLE foldscan.progress DELETE WHERE group = '${id}' OR startsWith(group, '${id}|')`,
    '  SETTINGS mutations_sync = 2;',
  ]
    .map((line) => `    ${line}`)
    .join('\n')
}
