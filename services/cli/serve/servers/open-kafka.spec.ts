import { expect, test } from 'vitest'
import { kafkaLimits } from '../../../../libs/adapters/kafka/kafka-client.ts'
import { factFolds } from '../../../projector/facts/fact-folds.ts'
import { consumerGroup, topicSpecs } from './open-kafka.ts'

const prefixes = { kafkaGroupPrefix: 'foldscan', kafkaTopicPrefix: '' }

test('a group is called after its prefix and its projectors', () => {
  expect(consumerGroup(prefixes, 'ledger', 'blocks')).toBe('foldscan-ledger')
  expect(consumerGroup(prefixes, 'dimensions', 'token-facts')).toBe(
    'foldscan-dimensions-token-facts',
  )
})

test('two chains on the same brokers have no group in common', () => {
  const other = { ...prefixes, kafkaTopicPrefix: 'gnosis.' }
  for (const [group, topic] of [
    ['ledger', 'blocks'],
    ['dimensions', 'token-facts'],
  ] as const) {
    expect(consumerGroup(other, group, topic)).not.toBe(consumerGroup(prefixes, group, topic))
  }
})

test('the greatest message of a compacted topic fits into one fetch, behind empty batches', () => {
  const wanted = topicSpecs({ prefix: '', replicationFactor: 3 })
  const compacted = wanted.filter(({ isCompacted }) => isCompacted)
  const greatest = Math.max(...compacted.map(({ messageBytesMax }) => messageBytesMax))
  expect(greatest + kafkaLimits.fetchBytesMax).toBeLessThanOrEqual(
    kafkaLimits.compactedFetchBytesMax,
  )
})

test('a dead letter holds the greatest message of its topic, as base64', () => {
  const wanted = topicSpecs({ prefix: '', replicationFactor: 3 })
  const bytesOf = (name: string) => wanted.find((topic) => topic.name === name)?.messageBytesMax
  const least = Math.ceil(((bytesOf('token-facts') ?? 0) * 4) / 3)
  expect(bytesOf('token-facts.dead-letters')).toBeGreaterThan(least)
})

test('only topics whose messages are folded as facts have a topic for dead letters', () => {
  const names = topicSpecs({ prefix: '', replicationFactor: 3 }).map(({ name }) => name)
  const withDeadLetters = names.flatMap((name) => /^(.*)\.dead-letters$/.exec(name)?.[1] ?? [])
  expect(withDeadLetters.toSorted()).toEqual(factFolds.map(({ topic }) => topic).toSorted())
})
