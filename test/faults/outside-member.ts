import { setTimeout as pause } from 'node:timers/promises'
import { Kafka, logLevel } from 'kafkajs'

export interface Membership {
  readonly brokers: readonly string[]
  readonly groupId: string
  readonly topic: string
}

const joinMaxMs = 5_000
const stayMs = 500
const sessionTimeoutMs = 6_000

/** Joins a group as another member of it would, reads whatever it is given, and leaves. */
export async function visit({ brokers, groupId, topic }: Membership): Promise<void> {
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING })
  const consumer = kafka.consumer({ groupId, sessionTimeout: sessionTimeoutMs })
  const joined = new Promise<void>((resolve) => {
    consumer.on(consumer.events.GROUP_JOIN, () => resolve())
  })
  try {
    await consumer.connect()
    await consumer.subscribe({ topics: [topic] })
    await consumer.run({ autoCommit: false, eachMessage: async () => {} })
    await Promise.race([joined, pause(joinMaxMs)])
    await pause(stayMs)
  } finally {
    await consumer.disconnect().catch(() => {})
  }
}
