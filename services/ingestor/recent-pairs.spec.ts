import { describe, expect, it } from 'vitest'
import type { Block, TransactionLog } from '../../libs/chain/block.ts'
import { pauses } from '../../libs/chain/pauses.ts'
import { batchTopic } from '../../libs/projections/transfers.ts'
import { coin, observableChain, transfer } from '../../test/support/observable-chain.ts'
import { tokenAddress } from '../../test/support/source-of-values.ts'
import { touchedBalances } from './non-standard-tokens.ts'
import { RecentPairs } from './recent-pairs.ts'

function blockOf(logs: readonly TransactionLog[]): Block {
  const { transactions, ...block } = observableChain().grow(1)
  return { ...block, transactions: transactions.map((one) => ({ ...one, logs })) }
}

const [alice, bob] = [tokenAddress(0xa), tokenAddress(0xb)]
const moved = transfer(coin, [alice, bob])

/** One log may hold 34,000 transfers: to read it takes a tenth of a second. */
const unreadBatch: TransactionLog = {
  ...moved,
  topics: [batchTopic, ...moved.topics.slice(1), ...moved.topics.slice(1, 2)],
  get data(): never {
    throw new Error('a batch was decoded')
  },
}

const sampled = (pairs: RecentPairs, block: Block, earlier: readonly Block[] = []) =>
  pairs.sample({ block, earlier, countMax: 4, isAskable: () => true })

describe('pairs that transfers have moved of late', () => {
  it('are found without decoding batches of ERC-1155', async () => {
    const pairs = new RecentPairs({ recentPairsMax: 8 })
    const block = blockOf([moved, unreadBatch])
    pairs.note(block)
    const all = [null, alice, bob].map((holder) => ({ token: coin, holder }))
    expect(sampled(pairs, block)).toEqual(all)
    const touched = await touchedBalances(block, () => true, pauses())
    expect(touched.get(coin)).toEqual(all.slice(1))
  })

  it('are forgotten at a block with more transfers than are looked at', () => {
    const pairs = new RecentPairs({ recentPairsMax: 8 })
    pairs.note(blockOf([moved]))
    const great = blockOf(Array.from({ length: 5_001 }, () => moved))
    expect(sampled(pairs, great)).toEqual([])
    pairs.note(great)
    expect(sampled(pairs, blockOf([]))).toEqual([])
    expect(sampled(pairs, blockOf([]), [great])).toEqual([])
  })
})
