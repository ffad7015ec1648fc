import { dataWords } from '../../../libs/chain/abi-words.ts'
import type { Block, TransactionLog } from '../../../libs/chain/block.ts'
import { coinEmittersOf } from '../../../libs/chain/coin-emitters.ts'
import type { Pause } from '../../../libs/chain/pauses.ts'
import {
  consecutiveIdsPerBlockMax,
  readableIds,
} from '../../../libs/projections/ledger/consecutive-transfers.ts'
import { batchTopic } from '../../../libs/projections/ledger/transfers.ts'
import type { BlocksMessage } from '../../../libs/topics/blocks.ts'

/** Inner calls that cost as much as a transfer: of each it is noted which contract it called. */
const callsPerTransfer = 4

/**
 * What folding a message costs at most, in transfers: bytes say little about that, as 32 of them
 * are a transfer in one log, and a million in another are a text. With pauses: a block may have a
 * million logs.
 */
export async function weightOf(message: BlocksMessage, pause: Pause): Promise<number> {
  switch (message.kind) {
    case 'block.applied':
    case 'block.reverted': {
      const { block, tokens, contracts } = message
      return (await weightOfBlock(block, pause)) + tokens.length + contracts.length
    }
    case 'state.observed':
      return (
        message.balances.length +
        message.supplies.length +
        message.owners.length +
        message.tokens.length
      )
    case 'gap.declared':
      return 0
  }
}

async function weightOfBlock(block: Block, pause: Pause): Promise<number> {
  const coinEmitters = coinEmittersOf(block)
  let weight = 0
  let idsLeft = consecutiveIdsPerBlockMax
  for (const { logs, authorizations, calls } of block.transactions) {
    weight += 1 + authorizations.length + Math.ceil((calls?.length ?? 0) / callsPerTransfer)
    for (const log of logs) {
      const paused = pause()
      if (paused !== undefined) await paused
      weight += weightOfLog(log)
      if (idsLeft === 0 || coinEmitters.has(log.address)) continue
      const ids = Math.min(idsLeft, readableIds(log))
      idsLeft -= ids
      weight += ids
    }
  }
  return weight
}

/** The two arrays of a batch may be the same words. */
const weightOfLog = ({ topics, data }: TransactionLog): number =>
  topics[0] === batchTopic ? 1 + dataWords(data) : 1
