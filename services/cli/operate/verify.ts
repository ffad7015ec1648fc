import type { Store } from '../../../libs/ports/store.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import type { GroupName } from '../../../libs/tables/declare/group-versions.ts'
import type { Run } from '../command.ts'
import { writingAddress } from '../serve/servers/clickhouse-access.ts'
import { print, runTask, textTable } from './run-task.ts'
import { type ComparedTable, compareVersions } from './versions/compare-versions.ts'
import { storedTables, versionsStored } from './versions/stored-versions.ts'
import { withMigratedTables } from './with-migrated-tables.ts'

const differs = 2

/** `foldscan verify --group G --versions A,B`: whether two versions have the same rows. */
export const operateVerify: Run<'verify'> = (settings, { log }) =>
  runTask(log, async () => {
    const { group, sample } = settings
    const versions = twoOf(settings.versions)
    const tables = await withMigratedTables(writingAddress(settings), async (store) => {
      await refuseMissing(store, group, versions)
      return compareVersions(store, { group, versions, sample })
    })
    await print(settings.json ? JSON.stringify({ tables }) : textOf(tables, versions))
    return tables.every(isSame) ? 0 : differs
  })

/** @throws StartupError */
function twoOf(text: string): readonly [number, number] {
  const [, first, second] = /^([1-9]\d{0,5}),([1-9]\d{0,5})$/.exec(text) ?? []
  if (first === undefined || second === undefined || first === second) {
    throw new StartupError(`--versions names no two versions, as 1,2 does: ${text}.`)
  }
  return [Number(first), Number(second)]
}

/** Of two that are not there all tables would be the same. @throws StartupError */
async function refuseMissing(store: Store, group: GroupName, versions: readonly number[]) {
  const stored = versionsStored(await storedTables(store), group)
  const missing = versions.find((version) => !stored.includes(version))
  if (missing === undefined) return
  throw new StartupError(
    `There are no tables of version ${missing} of ${group}, but of ${stored.join(', ') || 'none'}.`,
  )
}

const isSame = ({ rows: [first, second], differing }: ComparedTable): boolean =>
  first === second && differing.length === 0

const textOf = (tables: readonly ComparedTable[], [first, second]: readonly [number, number]) =>
  [
    textTable(
      ['table', `rows of ${first}`, `rows of ${second}`, 'subjects', 'columns', 'differ'],
      tables.map(({ table, rows, subjects, columns, differing }) => [
        table,
        ...rows,
        subjects,
        columns,
        differing.length,
      ]),
    ),
    ...tables.flatMap(({ table, differing }) => differing.map((one) => `${table} differs: ${one}`)),
  ].join('\n')
