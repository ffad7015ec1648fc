import { KafkaJSAggregateError, KafkaJSProtocolError } from 'kafkajs'
import { describe, expect, test } from 'vitest'
import { LogUnavailable } from '../../ports/event-log.ts'
import { silentLog } from '../../signals/log.ts'
import { KafkaConfigError } from './check-kafka.ts'
import { kafkaLimits } from './kafka-client.ts'
import { createTopics } from './topic-admin.ts'

const wanted = ['a', 'b'].map((name) => ({
  name,
  isCompacted: false,
  retentionMs: null,
  messageBytesMax: 9_000_000,
  replicationFactor: 2,
}))
const limits = { ...kafkaLimits, retryMs: 1 }
const options = { log: silentLog, limits }
/** Over after the first try. */
const hurried = { log: silentLog, limits: { ...limits, callTimeoutMs: 1 } }
const refusedOf = (type: string, ...topics: string[]) =>
  new KafkaJSAggregateError(
    'Topic creation errors',
    topics.map((topic) => {
      const error = Object.assign(new Error(`it is ${type}`), { type, retriable: false })
      return Object.assign(new KafkaJSProtocolError(error), { topic })
    }),
  )

/** A cluster of so many brokers that answers to creations with these, one after the other. */
function clusterOf({ brokers, answers }: { brokers: number[]; answers: (Error | true)[] }) {
  const asked: string[][] = []
  const of = (count: number) =>
    Array.from({ length: count }, (_, nodeId) => ({ nodeId, host: 'k', port: 1 }))
  const admin: Parameters<typeof createTopics>[0] = {
    listTopics: async () => [],
    describeCluster: async () => {
      const count = brokers.length > 1 ? brokers.shift() : brokers[0]
      return { brokers: of(count ?? 0), controller: 0, clusterId: 'c' }
    },
    createTopics: async ({ topics }) => {
      asked.push(topics.map(({ topic }) => topic))
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      if (answer instanceof Error) throw answer
      return true
    },
    fetchTopicOffsets: async () => [],
  }
  return { admin, asked }
}

describe('topics that are to be created', () => {
  test('are asked for again while the controller does not know its brokers yet', async () => {
    const answers = [refusedOf('INVALID_REPLICATION_FACTOR', 'a', 'b'), true as const]
    const { admin, asked } = clusterOf({ brokers: [0, 2], answers })
    expect(await createTopics(admin, wanted, options)).toEqual(['a', 'b'])
    expect(asked).toHaveLength(2)
  })

  test('fail with what passes, where no broker comes', async () => {
    const { admin, asked } = clusterOf({ brokers: [0], answers: [true] })
    await expect(createTopics(admin, wanted, hurried)).rejects.toBeInstanceOf(LogUnavailable)
    expect(asked).toEqual([])
  })

  test('are refused in one sentence where there are fewer brokers than replicas', async () => {
    const { admin, asked } = clusterOf({ brokers: [1], answers: [true] })
    const refusal = createTopics(admin, wanted, options)
    await expect(refusal).rejects.toBeInstanceOf(KafkaConfigError)
    await expect(refusal).rejects.toThrow(
      '--kafka-replication-factor is 2, but only 1 of the brokers is there: start or add brokers, ' +
        'or set --kafka-replication-factor 1 for every service',
    )
    expect(asked).toEqual([])
  })

  test('are not asked for again where one of them is refused for good', async () => {
    const answers = [refusedOf('TOPIC_AUTHORIZATION_FAILED', 'a'), true as const]
    const { admin, asked } = clusterOf({ brokers: [3], answers })
    await expect(createTopics(admin, wanted, options)).rejects.toThrow('Topic creation errors')
    expect(asked).toHaveLength(1)
  })

  test('give their reason when the time is over', async () => {
    const answers = [refusedOf('INVALID_REPLICATION_FACTOR', 'a', 'b')]
    const { admin } = clusterOf({ brokers: [2], answers })
    await expect(createTopics(admin, wanted, hurried)).rejects.toBe(answers[0])
  })
})
