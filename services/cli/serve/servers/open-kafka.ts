import { checkKafka } from '../../../../libs/adapters/kafka/check-kafka.ts'
import type {
  KafkaConnection,
  KafkaCredentials,
} from '../../../../libs/adapters/kafka/kafka-client.ts'
import { kafkaEventLog } from '../../../../libs/adapters/kafka/kafka-event-log.ts'
import { topicAdmin } from '../../../../libs/adapters/kafka/topic-admin.ts'
import { faultsOfAll, type TopicSpec } from '../../../../libs/adapters/kafka/topic-settings.ts'
import type { EventLog } from '../../../../libs/ports/event-log.ts'
import type { SettingsOf } from '../../../../libs/settings/settings.ts'
import { redacted } from '../../../../libs/signals/logger.ts'
import { StartupError } from '../../../../libs/signals/startup-error.ts'
import { partBytesMax } from '../../../../libs/topics/parts.ts'
import { compactedTopics, deadLetterMessage, topics } from '../../../../libs/topics/topics.ts'
import { measuredLog } from '../../measured-log.ts'
import type { ServiceContext } from '../serve.ts'
import { abortableLog, NotReady, waitUntilReady } from '../wait-until-ready.ts'
import { readCertificate } from './certificate-file.ts'

interface OpenKafkaOptions {
  readonly settings: KafkaConnectionSettings &
    Pick<SettingsOf<'ingestor'>, 'kafkaTopicPrefix' | 'kafkaReplicationFactor'>
  /** Those that the service reads or writes. */
  readonly topics: readonly string[]
  /** Those of them that it writes; none by default. */
  readonly written?: readonly string[]
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
  const { settings, topics, written = [], groupOf } = wish
  const place = kafkaConnection(settings)
  await waitUntilReady(context, () => checkKafka({ place, log: context.log }))
  const { kafkaTopicPrefix: prefix, kafkaReplicationFactor: replicationFactor } = settings
  const wanted = topicSpecs({ prefix, replicationFactor, names: topics })
  await waitUntilReady(context, () => checkTopics(context, place, wanted))
  const eventLog = kafkaEventLog({
    place,
    log: context.log,
    topicPrefix: prefix,
    compacted: compactedTopics,
    ...(groupOf === undefined ? {} : { groupOf }),
  })
  context.components.add({ name: 'log', stop: () => eventLog.close(), failed: eventLog.failed })
  return abortableLog(measuredLog(eventLog, context.metrics, written), context.signal)
}

/** @throws NotReady while one is missing, StartupError where one has settings that do not do */
async function checkTopics(
  context: ServiceContext,
  place: KafkaConnection,
  wanted: readonly TopicSpec[],
): Promise<void> {
  const admin = await topicAdmin({ place, log: context.log })
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

/** Settings of every command that connects to brokers. */
export type KafkaConnectionSettings = Pick<
  SettingsOf<'ingestor'>,
  | 'kafkaBrokers'
  | 'kafkaClientId'
  | 'kafkaTls'
  | 'kafkaCaFile'
  | 'kafkaSaslMechanism'
  | 'kafkaUser'
  | 'kafkaPassword'
>

/** Which brokers, and as whom. @throws StartupError where the settings contradict each other */
export function kafkaConnection(settings: KafkaConnectionSettings): KafkaConnection {
  const { kafkaBrokers, kafkaClientId, kafkaTls, kafkaCaFile } = settings
  for (const broker of kafkaBrokers) {
    if (/^[^\s:/@]+:\d{1,5}$|^\[[0-9a-f:.]+\]:\d{1,5}$/i.test(broker)) continue
    // What precedes an @ may be a password.
    const shown = redacted(broker).replace(/^.*@/, '…@')
    throw new StartupError(`A broker of --kafka-brokers is not of the form host:port: '${shown}'.`)
  }
  if (!kafkaTls && kafkaCaFile !== null) {
    throw new StartupError('--kafka-ca-file has no effect without --kafka-tls.')
  }
  const ca = readCertificate(kafkaCaFile, '--kafka-ca-file')
  return {
    brokers: kafkaBrokers,
    clientId: kafkaClientId,
    tls: kafkaTls ? { ca } : null,
    sasl: credentialsOf(settings),
  }
}

function credentialsOf(settings: KafkaConnectionSettings): KafkaCredentials | null {
  const { kafkaSaslMechanism: mechanism, kafkaUser, kafkaPassword } = settings
  if (mechanism === 'none') {
    if (kafkaUser === null && kafkaPassword === null) return null
    throw new StartupError(
      'FOLDSCAN_KAFKA_USER and FOLDSCAN_KAFKA_PASSWORD have no effect without ' +
        '--kafka-sasl-mechanism: set the one that the brokers use.',
    )
  }
  if (kafkaUser === null || kafkaPassword === null) {
    throw new StartupError(
      `--kafka-sasl-mechanism ${mechanism} needs FOLDSCAN_KAFKA_USER and ` +
        'FOLDSCAN_KAFKA_PASSWORD (or FOLDSCAN_KAFKA_PASSWORD_FILE).',
    )
  }
  return { mechanism, username: kafkaUser, password: kafkaPassword }
}

interface GroupNames {
  readonly kafkaGroupPrefix: string
  readonly kafkaTopicPrefix: string
}

/**
 * What watches the brokers sees each group of projectors under its name; `dimensions` has one for
 * each topic. It holds the prefix of the topics: projectors of two chains on the same brokers
 * would else be members of one group, of whom one chain's would read.
 */
export function consumerGroup(names: GroupNames, group: string, topic: string): string {
  const name = `${names.kafkaGroupPrefix}-${names.kafkaTopicPrefix}${group}`
  return topic === 'blocks' ? name : `${name}-${topic}`
}

/** What Kafka, and the header of a part, put around it. */
const aroundPartBytes = 64 * 1024
const messageBytesMax = partBytesMax + aroundPartBytes
/** It holds the message that cannot be folded, as base64, which compresses worse. */
const deadLetterBytesMax = 2 * messageBytesMax
const dayMs = 24 * 60 * 60 * 1_000

interface TopicSpecsOptions {
  /** Before each name. */
  readonly prefix: string
  readonly replicationFactor: number
  /** Without their prefix; all by default. */
  readonly names?: readonly string[]
}

/** Required topics of the registry. */
export const topicSpecs = ({
  prefix,
  replicationFactor,
  names = topics.map(({ name }) => name),
}: TopicSpecsOptions): readonly TopicSpec[] =>
  topics
    .filter(({ name }) => names.includes(name))
    .map(({ name, schema, retentionDays, isCompacted }) => ({
      name: prefix + name,
      isCompacted,
      retentionMs: retentionDays === null ? null : retentionDays * dayMs,
      messageBytesMax: schema === deadLetterMessage ? deadLetterBytesMax : messageBytesMax,
      replicationFactor,
    }))
