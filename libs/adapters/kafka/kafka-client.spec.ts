import { expect, test } from 'vitest'
import { assertKafkaLimits, kafkaLimits } from './kafka-client.ts'

test('the bounds that are taken by default fit together', () => {
  expect(() => assertKafkaLimits(kafkaLimits)).not.toThrow()
})

test.each([
  [
    { fetchWaitMs: 5_000 },
    'sessionTimeoutMs is 10000: below 3 * (heartbeatIntervalMs + fetchWaitMs)',
  ],
  [
    { rebalanceTimeoutMs: 9_000 },
    'rebalanceTimeoutMs is 9000: below sessionTimeoutMs, which is 10000',
  ],
  [{ requestTimeoutMs: 900 }, 'requestTimeoutMs is 900: below 2 * fetchWaitMs, which is 1000'],
  [{ stallTimeoutMs: 10_000 }, 'stallTimeoutMs is 10000: below rebalanceTimeoutMs, which is 15000'],
  [{ callTimeoutMs: 5_000 }, 'callTimeoutMs is 5000: below requestTimeoutMs, which is 6000'],
  [
    { compactedFetchBytesMax: 1_000_000 },
    'compactedFetchBytesMax is 1000000: below fetchBytesMax, which is 1048576',
  ],
  [{ aheadBytesMax: 0 }, 'aheadBytesMax is 0: it must be a whole number above 0'],
])('bounds that do not fit are refused: %o', (changed, sentence) => {
  expect(() => assertKafkaLimits({ ...kafkaLimits, ...changed })).toThrow(sentence)
})
