import { randomBytes } from 'node:crypto'
import { type Admin, Kafka, logLevel } from 'kafkajs'
import {
  type KafkaEventLogOptions,
  kafkaEventLog,
} from '../../libs/adapters/kafka/kafka-event-log.ts'
import { topicAdmin } from '../../libs/adapters/kafka/topic-admin.ts'
import type { TopicSpec } from '../../libs/adapters/kafka/topic-settings.ts'
import { silentLog } from '../../libs/signals/log.ts'

export const placeOf = (brokers: readonly string[]) => ({
  brokers,
  clientId: 'foldscan-test',
  tls: null,
  sasl: null,
})

export const plainTopic = (name: string): TopicSpec => ({
  name,
  isCompacted: false,
  retentionMs: null,
  messageBytesMax: 8 * 1024 * 1024 + 64 * 1024,
  replicationFactor: 1,
})

/** Topics of this test alone: their prefix. */
export async function freshTopics(
  brokers: readonly string[],
  names: readonly string[],
): Promise<string> {
  const topicPrefix = `t${randomBytes(6).toString('hex')}.`
  await createTopics(
    brokers,
    names.map((name) => plainTopic(topicPrefix + name)),
  )
  return topicPrefix
}

export async function createTopics(
  brokers: readonly string[],
  wanted: readonly TopicSpec[],
): Promise<void> {
  const admin = await topicAdmin({ place: placeOf(brokers), log: silentLog })
  await admin.create(wanted)
  await admin.close()
}

/** What only tests do to topics. */
export async function withAdmin<T>(
  brokers: readonly string[],
  use: (admin: Admin) => Promise<T>,
): Promise<T> {
  const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  try {
    return await use(admin)
  } finally {
    await admin.disconnect()
  }
}

export const logAt = (brokers: readonly string[], options: Partial<KafkaEventLogOptions>) =>
  kafkaEventLog({ place: placeOf(brokers), log: silentLog, compacted: [], ...options })
