import { setTimeout as pause } from 'node:timers/promises'
// A name that Node does not find among the exports of this CommonJS module.
import kafkajs, { type Admin } from 'kafkajs'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import { byABroker } from './by-a-broker.ts'
import { type KafkaPlace, kafkaClient } from './kafka-client.ts'
import { isPassing, kafkaFailure } from './kafka-failure.ts'
import { type KafkaLimits, kafkaLimits } from './kafka-limits.ts'
import {
  faultsOf,
  settingNames,
  settingsOf,
  type TopicState,
  type WantedTopic,
} from './topic-settings.ts'
import { within } from './within.ts'

export interface TopicAdmin {
  /** Creates those that do not exist, with their settings. @returns their names */
  create(wanted: readonly WantedTopic[]): Promise<readonly string[]>
  /** Null for one that does not exist, in the order of the names. */
  describe(names: readonly string[]): Promise<readonly (TopicState | null)[]>
  /** One sentence for each setting that does not do; none if all is well. */
  faults(wanted: readonly WantedTopic[]): Promise<readonly string[]>
  close(): Promise<void>
}

export interface TopicAdminOptions {
  readonly place: KafkaPlace
  readonly signals: Log
  readonly limits?: Partial<KafkaLimits>
}

const readyPauseMs = 50
const readyAttemptsMax = 100

/** Connects. @throws LogUnavailable, here and in every method */
export async function topicAdmin(options: TopicAdminOptions): Promise<TopicAdmin> {
  const limits = { ...kafkaLimits, ...options.limits }
  const admin = kafkaClient(options.place, limits, options.signals).admin()
  const asking = async <T>(what: string, answer: Promise<T>): Promise<T> => {
    try {
      return await within(limits.callTimeoutMs, what, answer)
    } catch (error) {
      throw kafkaFailure(what, error)
    }
  }
  await asking('asking Kafka for its topics', admin.connect()).catch((error: unknown) => {
    admin.disconnect().catch(() => {})
    throw error
  })
  const [broker = ''] = options.place.brokers
  const describe = (names: readonly string[]) =>
    asking('asking Kafka for its topics', described(admin, names))
  return {
    describe,
    create: (wanted) => asking('creating topics', created(admin, wanted, options.signals)),
    faults: async (wanted) => {
      const states = await describe(wanted.map(({ name }) => name))
      return wanted.flatMap((topic, at) => faultsOf(topic, states[at] ?? null, broker))
    },
    close: () => admin.disconnect(),
  }
}

async function created(
  admin: Admin,
  wanted: readonly WantedTopic[],
  signals: Log,
): Promise<readonly string[]> {
  const known = new Set(await byABroker(admin.listTopics()))
  const missing = wanted.filter(({ name }) => !known.has(name))
  if (missing.length === 0) return []
  // Another process may create them at the same time: what counts is that they are there.
  await admin.createTopics({
    waitForLeaders: false,
    topics: missing.map((topic) => ({
      topic: topic.name,
      numPartitions: 1,
      configEntries: Object.entries(settingsOf(topic)).map(([name, value]) => ({ name, value })),
    })),
  })
  for (const { name: topic } of missing) {
    await ready(admin, topic)
    signals.info({ event: events.log.topicCreated, topic }, `created topic ${topic}`)
  }
  return missing.map(({ name }) => name)
}

/** The brokers say that a topic is there before each of them knows it. */
async function ready(admin: Admin, topic: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await admin.fetchTopicOffsets(topic)
      return
    } catch (error) {
      if (!isPassing(error) || attempt === readyAttemptsMax) throw error
      await pause(readyPauseMs)
    }
  }
}

async function described(
  admin: Admin,
  names: readonly string[],
): Promise<readonly (TopicState | null)[]> {
  const known = new Set(await byABroker(admin.listTopics()))
  const existing = names.filter((name) => known.has(name))
  if (existing.length === 0) return names.map(() => null)
  const [{ topics }, { resources }] = await Promise.all([
    byABroker(admin.fetchTopicMetadata({ topics: existing })),
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
