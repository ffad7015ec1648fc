import { dataWords } from '../../libs/chain/abi-words.ts'
import type { Block, TransactionLog } from '../../libs/chain/block.ts'
import {
  consecutiveIds,
  consecutiveIdsPerBlockMax,
  consecutiveIdsPerLogMax,
  consecutiveTopic,
} from '../../libs/projections/consecutive-transfers.ts'
import { batchTopic } from '../../libs/projections/transfers.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'

/**
 * What folding a message costs at most, in transfers: bytes say little about that, as 32 of them
 * are a transfer in one log, and a million in another are a text.
 */
export function weightOf(message: BlocksMessage): number {
  switch (message.kind) {
    case 'block.applied':
    case 'block.reverted':
      return weightOfBlock(message.block) + message.tokens.length + message.contracts.length
    case 'state.observed':
      return message.balances.length + message.supplies.length + message.owners.length
    case 'gap.declared':
      return 0
  }
}

function weightOfBlock({ transactions }: Block): number {
  let weight = 0
  let idsLeft = consecutiveIdsPerBlockMax
  for (const { logs, authorizations } of transactions) {
    weight += 1 + authorizations.length
    for (const log of logs) {
      weight += weightOfLog(log)
      if (log.topics[0] !== consecutiveTopic || idsLeft === 0) continue
      const ids = Math.min(idsLeft, idsOf(log))
      idsLeft -= ids
      weight += ids
    }
  }
  return weight
}

function idsOf(log: TransactionLog): number {
  const count = consecutiveIds(log)?.count ?? 0n
  return count > 0n && count <= BigInt(consecutiveIdsPerLogMax) ? Number(count) : 0
}

/** The two arrays of a batch may be the same words. */
const weightOfLog = ({ topics, data }: TransactionLog): number =>
  topics[0] === batchTopic ? 1 + dataWords(data) : 1
