import { clickhouseStore } from '../../../libs/adapters/clickhouse/clickhouse-store.ts'
import { membersOf } from '../../../libs/adapters/kafka/group-members.ts'
import type { Store } from '../../../libs/ports/store.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import {
  type GroupName,
  groupIdOf,
  groupVersions,
} from '../../../libs/tables/declare/group-versions.ts'
import { onCluster } from '../../../libs/tables/migrate.ts'
import { progress } from '../../../libs/tables/tables/progress.ts'
import { factTopicNames } from '../../../libs/topics/topics.ts'
import type { Run } from '../command.ts'
import { versionStandings, versionsBehind } from '../serve/other-versions.ts'
import { withAccessCheck, writingAddress } from '../serve/servers/clickhouse-access.ts'
import { consumerGroup, kafkaConnection } from '../serve/servers/open-kafka.ts'
import { print, runTask } from './run-task.ts'
import { storedTables, tablesOfVersion } from './versions/stored-versions.ts'

type DropSettings = SettingsOf<'drop'>

/** `foldscan drop --group G --version N`: a version that no release reads or writes any more. */
export const operateDrop: Run<'drop'> = (settings, { log }) =>
  runTask(log, async ({ components }) => {
    const { group, version, clickhouseCluster: cluster } = settings
    if (version === groupVersions[group]) {
      throw new StartupError(`Version ${version} of ${group} is that of this release.`)
    }
    await refuseFolded(settings, log)
    const address = writingAddress(settings)
    const store = clickhouseStore(address)
    components.add({ name: 'store', stop: () => store.close() })
    const dropped = await withAccessCheck(address, async () => {
      if (!settings.force) await refuseNeeded(store, group, version)
      return await dropVersion(store, { group, version, cluster })
    })
    const names = dropped.join(', ')
    await print(settings.json ? JSON.stringify({ dropped }) : `dropped ${names || 'nothing'}`)
    return 0
  })

/** @throws StartupError while it has a projector, which is a member of its consumer group */
async function refuseFolded(settings: DropSettings, log: Log): Promise<void> {
  const { group, version } = settings
  const id = groupIdOf(group, version)
  const topics = group === 'dimensions' ? factTopicNames : ['blocks']
  const groups = topics.map((topic) => consumerGroup(settings, id, topic))
  if ((await membersOf({ place: kafkaConnection(settings), log }, groups)) === 0) return
  throw new StartupError(`A projector folds ${id}: stop it first.`)
}

/** @throws StartupError until this release has what the version has: readers may need it */
async function refuseNeeded(store: Store, group: GroupName, version: number): Promise<void> {
  const standings = await versionStandings(store)
  const both = standings.filter(
    (one) => one.group === group && [version, groupVersions[group]].includes(one.version),
  )
  const [behind] = versionsBehind(both, groupVersions)
  if (behind === undefined) return
  throw new StartupError(`Readers may need it: ${behind}. --force drops it nevertheless.`)
}

/** Any size: by default a server refuses above 50 GB. */
const dropSettings = 'SETTINGS max_table_size_to_drop = 0'

/**
 * Its progress last: after a failure the next run drops what is left.
 * @returns names of the tables and views
 */
export async function dropVersion(
  store: Store,
  of: { readonly group: GroupName; readonly version: number; readonly cluster: string },
): Promise<readonly string[]> {
  const { group, version, cluster } = of
  const id = groupIdOf(group, version)
  const tables = tablesOfVersion(await storedTables(store), group, version)
  for (const { name, isView } of tables) {
    const statement = `DROP ${isView ? 'VIEW' : 'TABLE'} IF EXISTS ${name} SYNC`
    await store.execute(onCluster(isView ? statement : `${statement} ${dropSettings}`, cluster))
  }
  const marks = `group = '${id}' OR startsWith(group, '${id}|')`
  const forget = `ALTER TABLE ${progress.stored} DELETE WHERE ${marks} SETTINGS mutations_sync = 2`
  await store.execute(onCluster(forget, cluster))
  return tables.map(({ name }) => name)
}
