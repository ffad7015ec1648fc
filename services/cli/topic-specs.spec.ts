import { expect, test } from 'vitest'
import { kafkaLimits } from '../../libs/adapters/kafka/kafka-client.ts'
import { topicSpecs } from './topic-specs.ts'

test('the greatest message of a compacted topic fits into one fetch, behind empty batches', () => {
  const wanted = topicSpecs({ prefix: '', replicationFactor: 3 })
  const compacted = wanted.filter(({ isCompacted }) => isCompacted)
  const greatest = Math.max(...compacted.map(({ messageBytesMax }) => messageBytesMax))
  expect(greatest + kafkaLimits.fetchBytesMax).toBeLessThanOrEqual(
    kafkaLimits.compactedFetchBytesMax,
  )
})
