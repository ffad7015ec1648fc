import type { Store } from '../../../libs/ports/store.ts'
import type { Standing } from '../../../libs/queries/group-standings.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { pause } from '../../../libs/signals/pause.ts'
import { type GroupName, groupVersions } from '../../../libs/tables/declare/group-versions.ts'
import type { Run } from '../command.ts'
import { versionStandings } from '../serve/other-versions.ts'
import { readingAddress } from '../serve/servers/clickhouse-access.ts'
import { print, runTask, textTable } from './run-task.ts'
import { allVersions, storedTables, tablesOfVersion } from './versions/stored-versions.ts'
import { withMigratedTables } from './with-migrated-tables.ts'

/** Between two looks, whose difference is the rate. */
const lookEveryMs = 5_000

/** `foldscan versions`: which versions of the groups are in the database, and how far they are. */
export const operateVersions: Run<'versions'> = (settings, { log }) =>
  runTask(log, async ({ signal }) => {
    const before = await look(settings)
    await pause(lookEveryMs, signal)
    if (signal.aborted) return
    const versions = rowsOf(before, await look(settings))
    await print(settings.json ? JSON.stringify({ versions }) : textOf(versions))
    return 0
  })

/** What one look at the tables has found. */
export interface Look {
  readonly standings: readonly Standing[]
  readonly tables: Awaited<ReturnType<typeof storedTables>>
  /** In ms, of a clock that never goes back. */
  readonly at: number
}

const look = (settings: SettingsOf<'versions'>): Promise<Look> =>
  withMigratedTables(readingAddress(settings), lookAt)

const lookAt = async (store: Store): Promise<Look> => ({
  standings: await versionStandings(store),
  tables: await storedTables(store),
  at: performance.now(),
})

export interface VersionRow {
  readonly group: GroupName
  readonly version: number
  /** Whether it is that of this release. */
  readonly isOwn: boolean
  readonly position: number
  readonly block: number | null
  /** Messages behind the version of the group that is ahead. */
  readonly behind: number
  /** Messages a second, between the two looks. */
  readonly rate: number
  /** Until it has caught up at this rate; null where it does not move, 0 where it has. */
  readonly secondsLeft: number | null
  readonly bytes: number
}

/** A row for each version that is in the database. */
export function rowsOf(before: Look, now: Look): readonly VersionRow[] {
  const standingIn = ({ standings }: Look, group: GroupName, version: number) =>
    standings.find((one) => one.group === group && one.version === version)
  return allVersions(now.tables).map(({ group, version }): VersionRow => {
    const { position = 0, block = null } = standingIn(now, group, version) ?? {}
    const newest = Math.max(
      ...now.standings.map((one) => (one.group === group ? one.position : 0)),
      0,
    )
    const moved = position - (standingIn(before, group, version)?.position ?? 0)
    const rate = moved / ((now.at - before.at) / 1_000)
    const behind = newest - position
    const bytes = tablesOfVersion(now.tables, group, version).reduce(
      (sum, one) => sum + one.bytes,
      0,
    )
    const isOwn = version === groupVersions[group]
    const secondsLeft = behind === 0 ? 0 : rate > 0 ? Math.ceil(behind / rate) : null
    return { group, version, isOwn, position, block, behind, rate, secondsLeft, bytes }
  })
}

const textOf = (versions: readonly VersionRow[]): string =>
  textTable(
    ['group', 'version', '', 'position', 'block', 'behind', 'messages/s', 'seconds left', 'bytes'],
    versions.map((one) => [
      ...[one.group, one.version, one.isOwn ? 'of this release' : 'of another release'],
      ...[one.position, one.block, one.behind, Math.round(one.rate), one.secondsLeft, one.bytes],
    ]),
  )
