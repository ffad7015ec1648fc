import type { KafkaPlace } from '../../../libs/adapters/kafka/kafka-client.ts'
import { kafkaEventLog } from '../../../libs/adapters/kafka/kafka-event-log.ts'
import { reachKafka } from '../../../libs/adapters/kafka/reach-kafka.ts'
import { topicAdmin } from '../../../libs/adapters/kafka/topic-admin.ts'
import { faultsOfAll, type WantedTopic } from '../../../libs/adapters/kafka/topic-settings.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { compactedTopics } from '../../../libs/topics/topics.ts'
import { Refusal } from '../refusal.ts'
import { wantedTopics } from '../wanted-topics.ts'
import { kafkaPlace, type PlaceSettings } from './kafka-place.ts'
import { logUntilLeft } from './leaving.ts'
import type { Bed } from './serve.ts'
import { NotYet, untilThere } from './until-there.ts'

export interface KafkaWish {
  readonly settings: PlaceSettings &
    Pick<SettingsOf<'ingestor'>, 'kafkaTopicPrefix' | 'kafkaReplicationFactor'>
  /** Those that the service reads or writes. */
  readonly topics: readonly string[]
  /** By topic, the consumer group that reads it; null for one of this process alone. */
  readonly groupOf?: (topic: string) => string | null
}

/**
 * The log of a cluster, once it answers and has the topics.
 * @throws if it never will: wrong credentials, topics with settings that do not do
 */
export async function openKafka(bed: Bed, wish: KafkaWish): Promise<EventLog> {
  const { settings, topics, groupOf } = wish
  const place = kafkaPlace(settings)
  await untilThere(bed, () => reachKafka({ place, signals: bed.log }))
  const { kafkaTopicPrefix: prefix, kafkaReplicationFactor: replicationFactor } = settings
  const wanted = wantedTopics({ prefix, replicationFactor, names: topics })
  await untilThere(bed, () => checkTopics(bed, place, wanted))
  const log = kafkaEventLog({
    place,
    signals: bed.log,
    topicPrefix: prefix,
    compacted: compactedTopics,
    ...(groupOf === undefined ? {} : { groupOf }),
  })
  bed.parts.add({ name: 'log', stop: () => log.close(), failed: log.failed })
  return logUntilLeft(log, bed.signal)
}

/** @throws NotYet while one is missing, Refusal where one has settings that do not do */
async function checkTopics(
  bed: Bed,
  place: KafkaPlace,
  wanted: readonly WantedTopic[],
): Promise<void> {
  const admin = await topicAdmin({ place, signals: bed.log })
  try {
    const states = await admin.describe(wanted.map(({ name }) => name))
    const missing = wanted.filter((_, at) => !states[at]).map(({ name }) => name)
    if (missing.length > 0) {
      const sentence = `Kafka has no topic ${missing.join(', ')} yet: run \`foldscan topics create\` first`
      throw new NotYet('no-topics', sentence)
    }
    const [broker = ''] = place.brokers
    const faults = faultsOfAll(wanted, states, broker)
    if (faults.length > 0) throw new Refusal(`${faults.map(capital).join('. ')}.`)
  } finally {
    await admin.close().catch(() => {})
  }
}

const capital = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1)
