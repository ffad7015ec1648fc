import { setTimeout as pause } from 'node:timers/promises'
import { Kafka, logLevel } from 'kafkajs'
import { furthestReader } from '../../libs/adapters/kafka/furthest-reader.ts'

export interface Membership {
  readonly brokers: readonly string[]
  readonly groupId: string
  readonly topic: string
}

/** Longer than a group waits for the places of those who were killed. */
const joinMaxMs = 20_000
const sessionTimeoutMs = 6_000
/** One that is given nothing to read waits for so long before it leaves. */
const fetchWaitMs = 100

/**
 * Joins a group as a member of ours that has read nothing, and leaves: all others have to join
 * anew, twice. @throws if the group does not take it
 */
export async function visit({ brokers, groupId, topic }: Membership): Promise<void> {
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING })
  const consumer = kafka.consumer({
    groupId,
    sessionTimeout: sessionTimeoutMs,
    maxWaitTimeInMs: fetchWaitMs,
    // A group takes nobody who does not offer what the others offer.
    partitionAssigners: [furthestReader(topic, () => ({ offset: 0, isReading: false }))],
    retry: { restartOnFailure: async () => false },
  })
  const joined = new Promise<void>((resolve, reject) => {
    consumer.on(consumer.events.GROUP_JOIN, () => resolve())
    consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))
  })
  joined.catch(() => {})
  const ending = new AbortController()
  const { signal } = ending
  const late = pause(joinMaxMs, null, { signal }).then(() => {
    throw new Error(`group ${groupId} took no member in ${joinMaxMs} ms`)
  })
  late.catch(() => {})
  try {
    await consumer.connect()
    await consumer.subscribe({ topics: [topic] })
    await consumer.run({ autoCommit: false, eachMessage: async () => {} })
    await Promise.race([joined, late])
  } finally {
    ending.abort()
    await consumer.disconnect().catch(() => {})
  }
}
