import { clickhouseStore } from '../../../libs/adapters/clickhouse/clickhouse-store.ts'
import { settingsLeftToUs } from '../../../libs/adapters/clickhouse/serving-settings.ts'
import { groupOffsets } from '../../../libs/adapters/kafka/group-offsets.ts'
import { type Store, StoreMissing } from '../../../libs/ports/store.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { deploymentOf } from '../../../libs/tables/deployment.ts'
import { factTopics, lagOf } from '../../operator/lag.ts'
import { lagPage } from '../../operator/lag-page.ts'
import type { Run } from '../command.ts'
import { consumerGroup } from '../consumer-groups.ts'
import { Refusal } from '../refusal.ts'
import { readingAddress } from '../serve/clickhouse-address.ts'
import { permitted } from '../serve/denied.ts'
import { kafkaPlace } from '../serve/kafka-place.ts'
import { logOfCluster } from './log-of-cluster.ts'
import { operate, print, type Task } from './operate.ts'

type LagSettings = SettingsOf<'lag'>

/** `foldscan lag` */
export const operateLag: Run<'lag'> = (settings, { log: signals }) =>
  operate(signals, async (task) => {
    const log = await logOfCluster(task, { settings, topics: ['blocks', ...factTopics] })
    const lag = await onTables(settings, async (store) => {
      const chainId = (await deploymentOf(store))?.chainId ?? null
      const now = () => Math.floor(Date.now() / 1000)
      return lagOf({ log, store, chainId, now, readOf: (topics) => readBy(task, settings, topics) })
    })
    await print(settings.json ? JSON.stringify(lag) : lagPage(lag))
    return 0
  })

/** Offsets up to which the group of dimensions says that it has read the topics. */
function readBy({ log: signals }: Task, settings: LagSettings, topics: readonly string[]) {
  const groups = topics.map((topic) => ({
    groupId: consumerGroup(settings, 'dimensions', topic),
    topic: settings.kafkaTopicPrefix + topic,
  }))
  return groupOffsets({ place: kafkaPlace(settings), signals }, groups)
}

/** Asks the tables. @throws Refusal with what to do where there are none, or we may not */
async function onTables<T>(settings: LagSettings, ask: (store: Store) => Promise<T>): Promise<T> {
  const address = readingAddress(settings)
  const asked = async () => {
    const servingNames = await settingsLeftToUs(address)
    const store = clickhouseStore({ ...address, servingNames })
    return ask(store).finally(() => store.close())
  }
  try {
    return await permitted(address, asked)
  } catch (error) {
    if (!(error instanceof StoreMissing)) throw error
    const { clickhouseDatabase } = settings
    throw new Refusal(
      `Database ${clickhouseDatabase} has no tables yet: run \`foldscan migrate\` first.`,
    )
  }
}
