import { expect, test } from 'vitest'
import { kafkaLimits } from '../../libs/adapters/kafka/kafka-client.ts'
import { factFolds } from '../projector/fact-folds.ts'
import { topicSpecs } from './topic-specs.ts'

test('the greatest message of a compacted topic fits into one fetch, behind empty batches', () => {
  const wanted = topicSpecs({ prefix: '', replicationFactor: 3 })
  const compacted = wanted.filter(({ isCompacted }) => isCompacted)
  const greatest = Math.max(...compacted.map(({ messageBytesMax }) => messageBytesMax))
  expect(greatest + kafkaLimits.fetchBytesMax).toBeLessThanOrEqual(
    kafkaLimits.compactedFetchBytesMax,
  )
})

test('only topics whose messages are folded as facts have a topic for dead letters', () => {
  const names = topicSpecs({ prefix: '', replicationFactor: 3 }).map(({ name }) => name)
  const withDeadLetters = names.flatMap((name) => /^(.*)\.dead-letters$/.exec(name)?.[1] ?? [])
  expect(withDeadLetters.toSorted()).toEqual(factFolds.map(({ topic }) => topic).toSorted())
})
