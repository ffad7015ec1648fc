import { checkKafka } from '../../../libs/adapters/kafka/check-kafka.ts'
import type { KafkaConnection } from '../../../libs/adapters/kafka/kafka-client.ts'
import { kafkaEventLog } from '../../../libs/adapters/kafka/kafka-event-log.ts'
import { topicAdmin } from '../../../libs/adapters/kafka/topic-admin.ts'
import { faultsOfAll, type TopicSpec } from '../../../libs/adapters/kafka/topic-settings.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { compactedTopics } from '../../../libs/topics/topics.ts'
import { StartupError } from '../failure.ts'
import { topicSpecs } from '../topic-specs.ts'
import { abortableLog } from './abortable.ts'
import { type KafkaConnectionSettings, kafkaConnection } from './kafka-connection.ts'
import type { ServiceContext } from './serve.ts'
import { NotReady, waitUntilReady } from './wait-until-ready.ts'

interface OpenKafkaOptions {
  readonly settings: KafkaConnectionSettings &
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
export async function openKafka(
  context: ServiceContext,
  wish: OpenKafkaOptions,
): Promise<EventLog> {
  const { settings, topics, groupOf } = wish
  const place = kafkaConnection(settings)
  await waitUntilReady(context, () => checkKafka({ place, signals: context.log }))
  const { kafkaTopicPrefix: prefix, kafkaReplicationFactor: replicationFactor } = settings
  const wanted = topicSpecs({ prefix, replicationFactor, names: topics })
  await waitUntilReady(context, () => checkTopics(context, place, wanted))
  const log = kafkaEventLog({
    place,
    signals: context.log,
    topicPrefix: prefix,
    compacted: compactedTopics,
    ...(groupOf === undefined ? {} : { groupOf }),
  })
  context.components.add({ name: 'log', stop: () => log.close(), failed: log.failed })
  return abortableLog(log, context.signal)
}

/** @throws NotReady while one is missing, StartupError where one has settings that do not do */
async function checkTopics(
  context: ServiceContext,
  place: KafkaConnection,
  wanted: readonly TopicSpec[],
): Promise<void> {
  const admin = await topicAdmin({ place, signals: context.log })
  try {
    const states = await admin.describe(wanted.map(({ name }) => name))
    const missing = wanted.filter((_, at) => !states[at]).map(({ name }) => name)
    if (missing.length > 0) {
      const sentence = `Kafka has no topic ${missing.join(', ')} yet: run \`foldscan topics create\` first`
      throw new NotReady('no-topics', sentence)
    }
    const [broker = ''] = place.brokers
    const faults = faultsOfAll(wanted, states, broker)
    if (faults.length > 0) throw new StartupError(`${faults.map(capital).join('. ')}.`)
  } finally {
    await admin.close().catch(() => {})
  }
}

const capital = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1)
