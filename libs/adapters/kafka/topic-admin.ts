// A name that Node does not find among the exports of this CommonJS module.
import kafkajs, { type Admin } from 'kafkajs'
import pRetry from 'p-retry'
import { LogUnavailable } from '../../ports/event-log.ts'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import { KafkaConfigError } from './check-kafka.ts'
import {
  type KafkaAccess,
  type KafkaLimits,
  kafkaClient,
  kafkaLimits,
  withCallTimeout,
} from './kafka-client.ts'
import { causesOf, errorsIn, isTransient, kafkaError, requireBroker } from './kafka-error.ts'
import {
  faultsOfAll,
  settingNames,
  settingsOf,
  type TopicSpec,
  type TopicState,
} from './topic-settings.ts'

export interface TopicAdmin {
  /**
   * Creates those that do not exist, with their settings.
   * @returns their names
   * @throws KafkaConfigError where there are fewer brokers than replicas
   */
  create(wanted: readonly TopicSpec[]): Promise<readonly string[]>
  /** Null for one that does not exist, in the order of the names. */
  describe(names: readonly string[]): Promise<readonly (TopicState | null)[]>
  /** One sentence for each wrong setting; empty if all are right. */
  faults(wanted: readonly TopicSpec[]): Promise<readonly string[]>
  close(): Promise<void>
}

/** Connects. @throws LogUnavailable, also from each method; KafkaConfigError as documented there */
export async function topicAdmin(options: KafkaAccess): Promise<TopicAdmin> {
  const limits = { ...kafkaLimits, ...options.limits }
  const admin = kafkaClient(options.place, limits, options.log).admin()
  const asking = async <T>(what: string, answer: Promise<T>): Promise<T> => {
    try {
      return await withCallTimeout(limits.callTimeoutMs, what, answer)
    } catch (error) {
      throw error instanceof KafkaConfigError ? error : kafkaError(what, error)
    }
  }
  await asking('fetching topics from Kafka', admin.connect()).catch((error: unknown) => {
    admin.disconnect().catch(() => {})
    throw error
  })
  const [broker = ''] = options.place.brokers
  const describe = (names: readonly string[]) =>
    asking('fetching topics from Kafka', described(admin, names))
  return {
    describe,
    create: (wanted) =>
      asking('creating topics', createTopics(admin, wanted, { ...options, limits })),
    faults: async (wanted) => {
      const states = await describe(wanted.map(({ name }) => name))
      return faultsOfAll(wanted, states, broker)
    },
    close: () => admin.disconnect(),
  }
}

async function described(
  admin: Admin,
  names: readonly string[],
): Promise<readonly (TopicState | null)[]> {
  const known = new Set(await requireBroker(admin.listTopics()))
  const existing = names.filter((name) => known.has(name))
  if (existing.length === 0) return names.map(() => null)
  const [{ topics }, { resources }] = await Promise.all([
    requireBroker(admin.fetchTopicMetadata({ topics: existing })),
    admin.describeConfigs({
      includeSynonyms: false,
      resources: existing.map((name) => ({
        type: kafkajs.ConfigResourceTypes.TOPIC,
        name,
        configNames: [...settingNames],
      })),
    }),
  ])
  return names.map((name) => {
    const partitions = topics.find((topic) => topic.name === name)?.partitions
    const entries = resources.find(({ resourceName }) => resourceName === name)?.configEntries
    if (!partitions || !entries) return null
    const settings = entries.map(({ configName, configValue }) => [configName, configValue])
    return {
      name,
      partitions: partitions.length,
      replicas: Math.min(...partitions.map(({ replicas }) => replicas.length)),
      settings: Object.fromEntries(settings),
    }
  })
}

const readyPauseMs = 50
const readyAttemptsMax = 100

type CreatingAdmin = Pick<
  Admin,
  'listTopics' | 'describeCluster' | 'createTopics' | 'fetchTopicOffsets'
>

interface Creating {
  readonly log: Log
  readonly limits: KafkaLimits
}

/** Creates the missing topics. @returns their names. @throws KafkaConfigError, or as kafkajs */
export async function createTopics(
  admin: CreatingAdmin,
  wanted: readonly TopicSpec[],
  { log, limits }: Creating,
): Promise<readonly string[]> {
  const known = new Set(await requireBroker(admin.listTopics()))
  const missing = wanted.filter(({ name }) => !known.has(name))
  if (missing.length === 0) return []
  await createdSoon(admin, missing, limits)
  for (const { name: topic } of missing) {
    await ready(admin, topic)
    log.info({ event: events.log.topicCreated, topic }, `created topic ${topic}`)
  }
  return missing.map(({ name }) => name)
}

/** Again while brokers come back: the controller knows of them a moment after they answer. */
async function createdSoon(
  admin: CreatingAdmin,
  missing: readonly TopicSpec[],
  { callTimeoutMs, retryMs }: KafkaLimits,
): Promise<void> {
  const create = async () => {
    await refuseTooFewBrokers(admin, missing)
    // Another process may create them at the same time: what counts is that they are there.
    await admin.createTopics({ waitForLeaders: false, topics: missing.map(creation) })
  }
  await pRetry(create, {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: retryMs,
    // Half of the time: the reason is of more use than that the time was over.
    maxRetryTime: callTimeoutMs / 2,
    shouldRetry: ({ error }) => mayPass(error),
  })
}

const creation = (topic: TopicSpec) => ({
  topic: topic.name,
  numPartitions: 1,
  replicationFactor: topic.replicationFactor,
  configEntries: Object.entries(settingsOf(topic)).map(([name, value]) => ({ name, value })),
})

/** What happens to a topic while others are created, or while brokers come back. */
const passingWhenCreated = ['TOPIC_ALREADY_EXISTS', 'INVALID_REPLICATION_FACTOR']

function mayPass(error: unknown): boolean {
  if (error instanceof LogUnavailable || isTransient(error)) return true
  const inner = causesOf(error).flatMap(errorsIn)
  return inner.length > 0 && inner.every((one) => isTransient(one) || passesSoon(one))
}

const passesSoon = (error: Error): boolean =>
  'type' in error && passingWhenCreated.includes(String(error.type))

/** @throws KafkaConfigError, or LogUnavailable while there is none at all */
async function refuseTooFewBrokers(
  admin: CreatingAdmin,
  wanted: readonly TopicSpec[],
): Promise<void> {
  const { brokers } = await requireBroker(admin.describeCluster())
  if (brokers.length === 0) throw new LogUnavailable('no broker has joined the Kafka cluster yet')
  const most = Math.max(...wanted.map(({ replicationFactor }) => replicationFactor))
  if (brokers.length >= most) return
  throw new KafkaConfigError(
    `--kafka-replication-factor is ${most}, but only ${brokers.length} of the brokers ` +
      `${brokers.length === 1 ? 'is' : 'are'} there: start or add brokers, or set ` +
      `--kafka-replication-factor ${brokers.length} for every service, to accept that a broker ` +
      'that is lost takes acknowledged messages with it',
  )
}

/** Brokers report a topic as created before its metadata has reached all of them. */
async function ready(admin: CreatingAdmin, topic: string): Promise<void> {
  await pRetry(() => admin.fetchTopicOffsets(topic), {
    retries: readyAttemptsMax - 1,
    minTimeout: readyPauseMs,
    factor: 1,
    shouldRetry: ({ error }) => isTransient(error),
  })
}
