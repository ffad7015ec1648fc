import { addressInWord, dataWords, eventTopic, wordOf } from '../chain/abi-words.ts'
import type { TransactionLog } from '../chain/block.ts'
import type { Address } from '../chain/hex.ts'
import type { Transfer } from '../chain/token.ts'

/** EIP-2309: one log for ids in a row, both ends included, where each would have a Transfer. */
export const consecutiveTopic = eventTopic('ConsecutiveTransfer(uint256,uint256,address,address)')

/** Ids of one log that are transfers; the collection of a longer range is unknown (decision 62). */
export const consecutiveIdsPerLogMax = 10_000

/**
 * Ids of all such logs of a block that are transfers. A log costs the same gas for one id as for
 * 10,000: without a bound a block of 30 million gas could make 140 million rows.
 */
export const consecutiveIdsPerBlockMax = 100_000

/** The range of one log. */
export interface ConsecutiveIds {
  readonly token: Address
  readonly from: Address
  readonly to: Address
  readonly first: bigint
  /** May be anything up to 2^256. */
  readonly count: bigint
  readonly logIndex: number
}

const topicsCount = 4

/** Null for any other log, and for a malformed one: a range that is inverted has no ids. */
export function consecutiveIds(log: TransactionLog): ConsecutiveIds | null {
  const { topics, data } = log
  if (topics[0] !== consecutiveTopic || topics.length !== topicsCount) return null
  const from = addressInWord(topics[2])
  const to = addressInWord(topics[3])
  if (from === null || to === null || dataWords(data) < 1) return null
  const first = BigInt(topics[1] ?? 0)
  const count = BigInt(wordOf(data, 0)) - first + 1n
  return { token: log.address, from, to, first, count, logIndex: log.index }
}

/** Each id as a transfer of its own, in ascending order; made as they are taken. */
export function* transfersOfIds({ first, count, ...place }: ConsecutiveIds): Generator<Transfer> {
  const batchSize = Number(count)
  for (let batchIndex = 0; batchIndex < batchSize; batchIndex++) {
    const tokenId = first + BigInt(batchIndex)
    yield { ...place, form: 'ERC-721', tokenId, value: 1n, batchIndex, batchSize }
  }
}
