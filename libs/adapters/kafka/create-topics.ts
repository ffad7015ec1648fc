import { setTimeout as pause } from 'node:timers/promises'
import type { Admin } from 'kafkajs'
import { LogUnavailable } from '../../ports/event-log.ts'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import { KafkaConfigError } from './check-kafka.ts'
import { causesOf, errorsIn, isTransient, requireBroker } from './kafka-error.ts'
import type { KafkaLimits } from './kafka-limits.ts'
import { settingsOf, type TopicSpec } from './topic-settings.ts'

const readyPauseMs = 50
const readyAttemptsMax = 100

type CreatingAdmin = Pick<
  Admin,
  'listTopics' | 'describeCluster' | 'createTopics' | 'fetchTopicOffsets'
>

interface Creating {
  readonly signals: Log
  readonly limits: KafkaLimits
}

/** Creates the missing topics. @returns their names. @throws KafkaConfigError, or as kafkajs */
export async function createTopics(
  admin: CreatingAdmin,
  wanted: readonly TopicSpec[],
  { signals, limits }: Creating,
): Promise<readonly string[]> {
  const known = new Set(await requireBroker(admin.listTopics()))
  const missing = wanted.filter(({ name }) => !known.has(name))
  if (missing.length === 0) return []
  await createdSoon(admin, missing, limits)
  for (const { name: topic } of missing) {
    await ready(admin, topic)
    signals.info({ event: events.log.topicCreated, topic }, `created topic ${topic}`)
  }
  return missing.map(({ name }) => name)
}

/** Again while brokers come back: the controller knows of them a moment after they answer. */
async function createdSoon(
  admin: CreatingAdmin,
  missing: readonly TopicSpec[],
  { callTimeoutMs, retryMs }: KafkaLimits,
): Promise<void> {
  // Half of the time: the reason is of more use than that the time was over.
  const deadline = performance.now() + callTimeoutMs / 2
  for (let pauseMs = retryMs; ; pauseMs *= 2) {
    try {
      await refuseTooFewBrokers(admin, missing)
      // Another process may create them at the same time: what counts is that they are there.
      await admin.createTopics({ waitForLeaders: false, topics: missing.map(creation) })
      return
    } catch (error) {
      if (!mayPass(error) || performance.now() + pauseMs > deadline) throw error
      await pause(pauseMs)
    }
  }
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

/** The brokers say that a topic is there before each of them knows it. */
async function ready(admin: CreatingAdmin, topic: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await admin.fetchTopicOffsets(topic)
      return
    } catch (error) {
      if (!isTransient(error) || attempt === readyAttemptsMax) throw error
      await pause(readyPauseMs)
    }
  }
}
