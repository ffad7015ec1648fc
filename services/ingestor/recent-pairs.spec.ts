import { describe, expect, it } from 'vitest'
import type { Block, TransactionLog } from '../../libs/chain/block.ts'
import { type Address, zeroAddress } from '../../libs/chain/hex.ts'
import { pauses } from '../../libs/chain/pauses.ts'
import { batchTopic } from '../../libs/projections/transfers.ts'
import {
  alice,
  bob,
  coin,
  observableChain,
  other,
  transfer,
} from '../../test/support/observable-chain.ts'
import { touchedBalances } from './non-standard-tokens.ts'
import { RecentPairs } from './recent-pairs.ts'

interface About {
  readonly number?: number
  /** Whom its transaction calls. */
  readonly to?: Address
}

function blockOf(logs: readonly TransactionLog[], { number = 1, to }: About = {}): Block {
  const { transactions, ...block } = observableChain().grow(1)
  const called = to === undefined ? {} : { to }
  return {
    ...block,
    number,
    transactions: transactions.map((one) => ({ ...one, ...called, logs })),
  }
}

/** Two of the coin, from alice to bob. */
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

/** The node's answer, as of a block. */
const observed = (
  pairs: RecentPairs,
  block: number,
  ...values: readonly (readonly [holder: Address, value: bigint])[]
) =>
  pairs.noteObserved({
    block,
    balances: values.map(([holder, value]) => ({ token: coin, holder, tokenId: null, value })),
  })

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

describe('what a node returned of such a pair', () => {
  /** Noted in block 1 and observed after it. */
  const known = () => {
    const pairs = new RecentPairs({ recentPairsMax: 8 })
    pairs.note(blockOf([moved]))
    expect(observed(pairs, 1, [alice, 10n], [bob, 3n])).toEqual([])
    return pairs
  }

  it('deviates if it is not the value before and all that has moved since', () => {
    const pairs = known()
    pairs.note(blockOf([moved, moved], { number: 2 }))
    expect(observed(pairs, 2, [alice, 6n], [bob, 8n])).toEqual([coin])
    // It is what is known from now on.
    expect(observed(pairs, 2, [alice, 6n], [bob, 8n])).toEqual([])
    pairs.note(blockOf([moved], { number: 3 }))
    expect(observed(pairs, 3, [alice, 4n], [bob, 10n])).toEqual([])
  })

  it('names its token once, however many deviate', () => {
    expect(observed(known(), 2, [alice, 11n], [bob, 4n])).toEqual([coin])
  })

  it('is passed over if the pair has moved later', () => {
    const pairs = known()
    pairs.note(blockOf([moved], { number: 3 }))
    expect(observed(pairs, 2, [alice, 99n])).toEqual([])
    expect(observed(pairs, 3, [alice, 8n])).toEqual([])
  })

  it('is passed over if it is of an id, or of a pair that has not moved', () => {
    const pairs = known()
    const balances = [{ token: coin, holder: alice, tokenId: 1n, value: 99n }]
    expect(pairs.noteObserved({ block: 2, balances })).toEqual([])
    expect(observed(pairs, 2, [other, 99n])).toEqual([])
    expect(observed(pairs, 2, [other, 98n], [alice, 10n])).toEqual([])
  })

  it('proves nothing after a block was reverted, until it is observed again', () => {
    const pairs = known()
    pairs.forgetExpected()
    expect(observed(pairs, 2, [alice, 12n])).toEqual([])
    expect(observed(pairs, 3, [alice, 13n])).toEqual([coin])
  })
})

describe('a sample of them', () => {
  const refs = (token: Address, ...holders: readonly (Address | null)[]) =>
    holders.map((holder) => ({ token, holder }))
  const noted = (...blocks: readonly Block[]) => {
    const pairs = new RecentPairs({ recentPairsMax: 4 })
    for (const block of blocks) pairs.note(block)
    return pairs
  }
  const otherMoved = transfer(other, [alice, bob])

  it('has the holders of a token that the block only called', () => {
    const pairs = noted(blockOf([moved]))
    const calling = blockOf([], { number: 2, to: coin })
    expect(sampled(pairs, calling)).toEqual(refs(coin, null, alice, bob))
    expect(sampled(noted(), calling)).toEqual([])
    // Blocks that come with it are not noted yet.
    expect(sampled(noted(), calling, [blockOf([moved])])).toEqual(refs(coin, null, alice, bob))
  })

  it('never has the zero address', () => {
    const mint = blockOf([transfer(coin, [zeroAddress, bob])])
    expect(sampled(noted(mint), mint)).toEqual(refs(coin, null, bob))
  })

  it('has no tokens that are not to be asked now, and no more than asked for', () => {
    const block = blockOf([moved, otherMoved])
    const isAskable = (token: Address) => token !== coin
    const sample = noted(block).sample({ block, earlier: [], countMax: 2, isAskable })
    expect(sample).toEqual(refs(other, null, alice))
  })

  it('takes one holder of each token before the second of any', () => {
    const block = blockOf([moved, otherMoved])
    const sample = noted(block).sample({ block, earlier: [], countMax: 5, isAskable: () => true })
    expect(sample).toEqual([
      ...refs(coin, null, alice),
      ...refs(other, null, alice),
      ...refs(coin, bob),
    ])
  })

  it('begins with the token that was not observed for longest', () => {
    const block = blockOf([moved, otherMoved])
    const pairs = noted(block)
    observed(pairs, 1, [alice, 0n])
    expect(sampled(pairs, block).slice(0, 2)).toEqual(refs(other, null, alice))
  })

  it('of a block that touches none has those that wait for longest', () => {
    const pairs = noted(blockOf([moved, otherMoved]))
    observed(pairs, 1, [alice, 0n])
    const sample = [...refs(coin, bob), ...refs(other, alice, bob), ...refs(coin, alice)]
    expect(sampled(pairs, blockOf([]))).toEqual(sample)
  })

  it('has no more of those that moved first, once there are too many', () => {
    const third = transfer(bob, [alice, bob])
    const pairs = noted(blockOf([moved]), blockOf([otherMoved]), blockOf([third]))
    const sample = [...refs(other, alice, bob), ...refs(bob, alice, bob)]
    expect(sampled(pairs, blockOf([]))).toEqual(sample)
    // Nothing is left of its token.
    expect(sampled(pairs, blockOf([], { to: coin }))).toEqual(sample)
  })
})
