import { Kafka, type KafkaConfig, logLevel, type Producer } from 'kafkajs'
import type { KafkaAddress } from '../../deploy/stack/kafka.ts'

const client = (address: KafkaAddress, more: Partial<KafkaConfig> = {}) =>
  new Kafka({
    brokers: [...address.brokers],
    logLevel: logLevel.NOTHING,
    requestTimeout: 5_000,
    retry: { retries: 20, initialRetryTime: 50, maxRetryTime: 500 },
    ...more,
  })

/** A topic of one partition. */
export async function madeTopic(address: KafkaAddress, topic: string): Promise<void> {
  const admin = client(address).admin()
  await admin.connect()
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true })
  await admin.disconnect()
}

/** Returns when all of them are acknowledged; asks again for a while. */
export const produce = (address: KafkaAddress, topic: string, values: readonly string[]) =>
  sent(client(address).producer({ idempotent: true, maxInFlightRequests: 1 }), topic, values)

/** As `produce`, in one attempt. @throws when it is refused */
export const produceOnce = (address: KafkaAddress, topic: string, values: readonly string[]) =>
  sent(client(address, { retry: { retries: 0 } }).producer(), topic, values)

async function sent(producer: Producer, topic: string, values: readonly string[]): Promise<void> {
  try {
    await producer.connect()
    await producer.send({ topic, acks: -1, messages: values.map((value) => ({ value })) })
  } finally {
    await producer.disconnect().catch(() => {})
  }
}

/** How many messages the topic has been given. */
export async function endOf(address: KafkaAddress, topic: string): Promise<number> {
  const admin = client(address).admin()
  await admin.connect()
  const [partition] = await admin.fetchTopicOffsets(topic)
  await admin.disconnect()
  return Number(partition?.high ?? -1)
}

/** Asks on the port for those who have a password. @throws the broker's error for a wrong one */
export async function brokersSeenWith(address: KafkaAddress, password: string): Promise<number> {
  const sasl = { mechanism: 'plain' as const, username: address.username, password }
  const admin = client(address, {
    brokers: [...address.saslBrokers],
    sasl,
    retry: { retries: 0 },
  }).admin()
  try {
    await admin.connect()
    return (await admin.describeCluster()).brokers.length
  } finally {
    await admin.disconnect().catch(() => {})
  }
}
