import { addressInWord, dataWords, eventTopic, wordOf } from '../../chain/abi-words.ts'
import type { Block, Transaction, TransactionLog } from '../../chain/block.ts'
import { coinEmittersOf } from '../../chain/coin-emitters.ts'
import type { Address } from '../../chain/hex.ts'
import type { Transfer } from '../../chain/token.ts'

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

/** 0 for a log whose ids are no transfers, whatever else its block holds. */
export function readableIds(log: TransactionLog): number {
  if (log.topics[0] !== consecutiveTopic) return 0
  const ids = consecutiveIds(log)
  return ids !== null && isReadable(ids) ? Number(ids.count) : 0
}

export interface BlockOfLogs extends Pick<Block, 'coinEmitters'> {
  readonly transactions: readonly Pick<Transaction, 'logs' | 'gasUsed'>[]
}

/** Logs looked at between two places to do other work. */
const logsPerPieceMax = 1_000

/**
 * The logs whose ids are transfers; yields `place` where other work can be done. Of more ids than a
 * block may have, those come first whose transaction has paid most gas for each: whoever fills the
 * bound cheaply to make another collection of the same block unknown fills it after that one.
 */
export function* readRanges<T>(
  block: BlockOfLogs,
  place: T,
): Generator<T, ReadonlySet<TransactionLog>> {
  const coinEmitters = coinEmittersOf(block)
  const found: { readonly ranges: readonly Range[]; readonly gasOfId: number }[] = []
  let looked = 0
  for (const { logs, gasUsed } of block.transactions) {
    const ranges: Range[] = []
    let count = 0
    for (const log of logs) {
      looked += 1
      if (looked % logsPerPieceMax === 0) yield place
      const ids = coinEmitters.has(log.address) ? 0 : readableIds(log)
      if (ids === 0) continue
      ranges.push([log, ids])
      count += ids
    }
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
    yield place
  }
  return read
}

type Range = readonly [log: TransactionLog, count: number]

/** Each id as a transfer of its own, in ascending order; made as they are taken. */
export function* transfersOfIds({ first, count, ...place }: ConsecutiveIds): Generator<Transfer> {
  const batchSize = Number(count)
  for (let batchIndex = 0; batchIndex < batchSize; batchIndex++) {
    const tokenId = first + BigInt(batchIndex)
    yield { ...place, form: 'ERC-721', tokenId, value: 1n, batchIndex, batchSize }
  }
}
