// A name that Node does not find among the exports of this CommonJS module.
import kafkajs, { type Admin } from 'kafkajs'
import type { Log } from '../../signals/log.ts'
import { KafkaConfigError } from './check-kafka.ts'
import { createTopics } from './create-topics.ts'
import { type KafkaConnection, kafkaClient, withCallTimeout } from './kafka-client.ts'
import { kafkaError, requireBroker } from './kafka-error.ts'
import { type KafkaLimits, kafkaLimits } from './kafka-limits.ts'
import { faultsOfAll, settingNames, type TopicSpec, type TopicState } from './topic-settings.ts'

export interface TopicAdmin {
  /**
   * Creates those that do not exist, with their settings.
   * @returns their names
   * @throws KafkaConfigError where there are fewer brokers than replicas
   */
  create(wanted: readonly TopicSpec[]): Promise<readonly string[]>
  /** Null for one that does not exist, in the order of the names. */
  describe(names: readonly string[]): Promise<readonly (TopicState | null)[]>
  /** One sentence for each setting that does not do; none if all is well. */
  faults(wanted: readonly TopicSpec[]): Promise<readonly string[]>
  close(): Promise<void>
}

interface TopicAdminOptions {
  readonly place: KafkaConnection
  readonly signals: Log
  readonly limits?: Partial<KafkaLimits>
}

/** Connects. @throws LogUnavailable, also from each method; KafkaConfigError as documented there */
export async function topicAdmin(options: TopicAdminOptions): Promise<TopicAdmin> {
  const limits = { ...kafkaLimits, ...options.limits }
  const admin = kafkaClient(options.place, limits, options.signals).admin()
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
