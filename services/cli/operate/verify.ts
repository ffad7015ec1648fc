import { StartupError } from '../../../libs/signals/startup-error.ts'
import type { Run } from '../command.ts'
import { writingAddress } from '../serve/servers/clickhouse-access.ts'
import { print, runTask, textTable } from './run-task.ts'
import { type ComparedTable, compareVersions } from './versions/compare-versions.ts'
import { withMigratedTables } from './with-migrated-tables.ts'

const differs = 2

/** `foldscan verify --group G --versions A,B`: whether two versions have the same rows. */
export const operateVerify: Run<'verify'> = (settings, { log }) =>
  runTask(log, async () => {
    const { group, sample } = settings
    const versions = twoOf(settings.versions)
    const tables = await withMigratedTables(writingAddress(settings), (store) =>
      compareVersions(store, { group, versions, sample }),
    )
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
