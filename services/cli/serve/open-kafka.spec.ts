import { expect, test } from 'vitest'
import { consumerGroup } from './open-kafka.ts'

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
