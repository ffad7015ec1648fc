import { describe } from 'vitest'
import { cluster, noCluster } from '../support/cluster.ts'
import { freshTopics, logAt } from '../support/kafka-for-tests.ts'
import { poisonLaws } from '../support/poison-laws.ts'

describe.skipIf(noCluster)('poison in a log on Kafka', () => {
  poisonLaws(async () => {
    const { brokers } = cluster().kafka
    const topicPrefix = await freshTopics(brokers, ['blocks', 'changes'])
    return () => logAt(brokers, { topicPrefix })
  })
})
