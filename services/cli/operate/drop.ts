import { clickhouseStore } from '../../../libs/adapters/clickhouse/clickhouse-store.ts'
import type { Store } from '../../../libs/ports/store.ts'
import { pause } from '../../../libs/signals/pause.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import {
  type GroupName,
  groupIdOf,
  groupVersions,
} from '../../../libs/tables/declare/group-versions.ts'
import { onCluster } from '../../../libs/tables/migrate.ts'
import { progress } from '../../../libs/tables/tables/progress.ts'
import type { Run } from '../command.ts'
import { versionStandings, versionsBehind } from '../serve/other-versions.ts'
import { withAccessCheck, writingAddress } from '../serve/servers/clickhouse-access.ts'
import { print, runTask } from './run-task.ts'
import { storedTables, tablesOfVersion } from './versions/stored-versions.ts'

/** A version whose progress moves meanwhile has a projector. */
const watchedMs = 5_000

/** `foldscan drop --group G --version N`: a version that no release reads or writes any more. */
export const operateDrop: Run<'drop'> = (settings, { log }) =>
  runTask(log, async ({ signal, components }) => {
    const { group, version, clickhouseCluster: cluster } = settings
    const address = writingAddress(settings)
    const store = clickhouseStore(address)
    components.add({ name: 'store', stop: () => store.close() })
    const dropped = await withAccessCheck(address, async () => {
      await refuseServed(store, group, version)
      const before = await positionOf(store, group, version)
      await pause(watchedMs, signal)
      signal.throwIfAborted()
      if ((await positionOf(store, group, version)) !== before) {
        throw new StartupError(
          `${groupIdOf(group, version)} is being folded: stop its projector first.`,
        )
      }
      return await dropVersion(store, { group, version, cluster })
    })
    const names = dropped.join(', ')
    await print(settings.json ? JSON.stringify({ dropped }) : `dropped ${names || 'nothing'}`)
    return 0
  })

/** @throws StartupError for what this release reads, and until this release can take its place */
async function refuseServed(store: Store, group: GroupName, version: number): Promise<void> {
  if (version === groupVersions[group]) {
    throw new StartupError(`Version ${version} of ${group} is that of this release.`)
  }
  const standings = await versionStandings(store)
  const [behind] = versionsBehind(
    standings.filter((one) => one.group === group),
    groupVersions,
  )
  if (behind === undefined) return
  throw new StartupError(`Readers may still need it: ${behind}.`)
}

async function positionOf(store: Store, group: GroupName, version: number): Promise<number> {
  const standings = await versionStandings(store)
  const found = standings.find((one) => one.group === group && one.version === version)
  return found?.position ?? 0
}

/**
 * Its progress first: a kill leaves tables without it, which the next run drops.
 * @returns names of the tables and views
 */
export async function dropVersion(
  store: Store,
  of: { readonly group: GroupName; readonly version: number; readonly cluster: string },
): Promise<readonly string[]> {
  const { group, version, cluster } = of
  const id = groupIdOf(group, version)
  const tables = tablesOfVersion(await storedTables(store), group, version)
  await store.execute(
    onCluster(
      `ALTER TABLE ${progress.stored} DELETE WHERE group = '${id}' OR startsWith(group, '${id}|')` +
        ' SETTINGS mutations_sync = 2',
      cluster,
    ),
  )
  for (const { name, isView } of tables) {
    const statement = `DROP ${isView ? 'VIEW' : 'TABLE'} IF EXISTS ${name} SYNC`
    await store.execute(onCluster(statement, cluster))
  }
  return tables.map(({ name }) => name)
}
