import { addressInWord, dataWords, eventTopic, wordOf } from '../chain/abi-words.ts'
import type { Transaction, TransactionLog } from '../chain/block.ts'
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
  const { topics } = log
  if (topics[0] !== consecutiveTopic || topics.length !== topicsCount) return null
  const { data } = log
  const from = addressInWord(topics[2])
  const to = addressInWord(topics[3])
  if (from === null || to === null || dataWords(data) < 1) return null
  const first = BigInt(topics[1] ?? 0)
  const count = BigInt(wordOf(data, 0)) - first + 1n
  return { token: log.address, from, to, first, count, logIndex: log.index }
}

/** A range that runs backwards says as little about its ids as one that is too long. */
const isReadable = ({ count }: ConsecutiveIds): boolean =>
  count > 0n && count <= BigInt(consecutiveIdsPerLogMax)

type Ranges = readonly (readonly [log: TransactionLog, count: number])[]

/**
 * The logs whose ids are transfers. Of more ids than a block may have, those come first whose
 * transaction has paid most gas for each: whoever fills the bound cheaply to make another
 * collection of the same block unknown fills it after that one.
 */
export function readRanges(
  transactions: readonly Pick<Transaction, 'logs' | 'gasUsed'>[],
): ReadonlySet<TransactionLog> {
  const found: { readonly ranges: Ranges; readonly gasOfId: number }[] = []
  for (const { logs, gasUsed } of transactions) {
    const ranges = rangesIn(logs)
    const count = ranges.reduce((sum, [, count]) => sum + count, 0)
    if (count > 0) found.push({ ranges, gasOfId: Number(gasUsed) / count })
  }
  const read = new Set<TransactionLog>()
  let idsLeft = consecutiveIdsPerBlockMax
  for (const { ranges } of found.sort((one, other) => other.gasOfId - one.gasOfId)) {
    for (const [log, count] of ranges) {
      if (count > idsLeft) continue
      idsLeft -= count
      read.add(log)
    }
  }
  return read
}

function rangesIn(logs: readonly TransactionLog[]): Ranges {
  return logs.flatMap((log) => {
    const ids = consecutiveIds(log)
    return ids !== null && isReadable(ids) ? [[log, Number(ids.count)] as const] : []
  })
}

/** Each id as a transfer of its own, in ascending order; made as they are taken. */
export function* transfersOfIds({ first, count, ...place }: ConsecutiveIds): Generator<Transfer> {
  const batchSize = Number(count)
  for (let batchIndex = 0; batchIndex < batchSize; batchIndex++) {
    const tokenId = first + BigInt(batchIndex)
    yield { ...place, form: 'ERC-721', tokenId, value: 1n, batchIndex, batchSize }
  }
}
