import { type GroupName, groupId } from '../../libs/tables/declare/group-versions.ts'
import { allTables } from '../../libs/tables/tables/all-tables.ts'
import { between, markersOf } from './between.ts'

/** Groups that fold topic `blocks`. */
const groups: readonly GroupName[] = ['ledger', 'state']

/** The runbook with the statements that empty each group. @throws if the markers are missing */
export const withStatements = (page: string): string =>
  between(page, markersOf('statements'), groups.map(statementsOf).join('\n\n'))

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
