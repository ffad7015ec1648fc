import { clickhouseStore } from '../../../libs/adapters/clickhouse/clickhouse-store.ts'
import { settingsLeftToUs } from '../../../libs/adapters/clickhouse/serving-settings.ts'
import { groupOffsets } from '../../../libs/adapters/kafka/group-offsets.ts'
import { StoreMissing } from '../../../libs/ports/store.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { lagOf } from '../../operator/lag.ts'
import { lagPage } from '../../operator/lag-page.ts'
import { consumerGroup } from '../consumer-groups.ts'
import { Refusal } from '../refusal.ts'
import { readingAddress } from '../serve/clickhouse-address.ts'
import { permitted } from '../serve/denied.ts'
import { kafkaPlace } from '../serve/kafka-place.ts'
import { logOfCluster } from './log-of-cluster.ts'
import { type Desk, operate, print } from './operate.ts'

type LagSettings = SettingsOf<'lag'>

/** `foldscan lag` */
export const operateLag = (settings: LagSettings): Promise<void> =>
  operate(settings, async (desk) => {
    const log = await logOfCluster(desk, settings)
    const store = await storeOf(desk, settings)
    const { kafkaGroupPrefix, kafkaTopicPrefix } = settings
    const place = kafkaPlace(settings)
    const lag = await lagOf({
      log,
      store,
      readOf: (topics) =>
        groupOffsets(
          { place, signals: desk.log },
          topics.map((topic) => ({
            groupId: consumerGroup(kafkaGroupPrefix, 'dimensions', topic),
            topic: kafkaTopicPrefix + topic,
          })),
        ),
      now: () => Math.floor(Date.now() / 1000),
    }).catch((error: unknown) => {
      throw error instanceof StoreMissing ? noTables(settings) : error
    })
    await print(settings.json ? JSON.stringify(lag) : lagPage(lag))
  })

async function storeOf({ parts }: Desk, settings: LagSettings) {
  const address = readingAddress(settings)
  const servingNames = await permitted(address, () => settingsLeftToUs(address)).catch(
    (error: unknown) => {
      throw error instanceof StoreMissing ? noTables(settings) : error
    },
  )
  const store = clickhouseStore({ ...address, servingNames })
  parts.add({ name: 'store', stop: () => store.close() })
  return store
}

const noTables = ({ clickhouseDatabase }: LagSettings) =>
  new Refusal(`Database ${clickhouseDatabase} has no tables yet: run \`foldscan migrate\` first.`)
