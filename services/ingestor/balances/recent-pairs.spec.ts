import { describe, expect, it } from 'vitest'
import type { Block, TransactionLog } from '../../../libs/chain/block.ts'
import { type Address, zeroAddress } from '../../../libs/chain/hex.ts'
import { pauses } from '../../../libs/chain/pauses.ts'
import { batchTopic } from '../../../libs/projections/ledger/transfers.ts'
import {
  alice,
  bob,
  coin,
  observableChain,
  other,
  transfer,
} from '../../../test/support/observable-chain.ts'
import { tokenAddress } from '../../../test/support/source-of-values.ts'
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

const pause = pauses()

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
  pairs.sample({ block, earlier, countMax: 4, isAskable: () => true, pause })

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
    await pairs.note(block, pause)
    const all = [null, alice, bob].map((holder) => ({ token: coin, holder }))
    expect(await sampled(pairs, block)).toEqual(all)
    const touched = await touchedBalances(block, () => true, pause)
    expect(touched.get(coin)).toEqual(all.slice(1))
  })

  it('are kept at a block of very many transfers of others, which are sampled, too', async () => {
    const pairs = new RecentPairs({ recentPairsMax: 8 })
    await pairs.note(blockOf([moved]), pause)
    const other = tokenAddress(0x99)
    const people = Array.from({ length: 5_001 }, (_, at) => tokenAddress(0x1000 + at))
    const great = blockOf(people.map((who) => transfer(other, [alice, who])))
    expect((await sampled(pairs, great)).map(({ token }) => token)).toContain(other)
    await pairs.note(great, pause)
    const tokens = (await sampled(pairs, blockOf([]))).map(({ token }) => token)
    expect(new Set(tokens)).toEqual(new Set([coin, other]))
  })

  it('keep what was observed of them over such a block', async () => {
    const pairs = new RecentPairs({ recentPairsMax: 8 })
    await pairs.note(blockOf([moved]), pause)
    const seen = { token: coin, holder: bob, tokenId: null, value: 5n }
    const observedAt = (block: number, value: bigint) =>
      pairs.noteObserved({ block, balances: [{ ...seen, value }] })
    expect(observedAt(1, 5n)).toEqual([])
    const others = Array.from({ length: 5_001 }, () => transfer(tokenAddress(0x99), [alice, bob]))
    await pairs.note(blockOf(others), pause)
    expect(observedAt(2, 6n)).toEqual([coin])
  })
})

describe('what a node returned of such a pair', () => {
  /** Noted in block 1 and observed after it. */
  const known = async () => {
    const pairs = new RecentPairs({ recentPairsMax: 8 })
    await pairs.note(blockOf([moved]), pause)
    expect(observed(pairs, 1, [alice, 10n], [bob, 3n])).toEqual([])
    return pairs
  }

  it('deviates if it is not the value before and all that has moved since', async () => {
    const pairs = await known()
    await pairs.note(blockOf([moved, moved], { number: 2 }), pause)
    expect(observed(pairs, 2, [alice, 6n], [bob, 8n])).toEqual([coin])
    // It is what is known from now on.
    expect(observed(pairs, 2, [alice, 6n], [bob, 8n])).toEqual([])
    await pairs.note(blockOf([moved], { number: 3 }), pause)
    expect(observed(pairs, 3, [alice, 4n], [bob, 10n])).toEqual([])
  })

  it('names its token once, however many deviate', async () => {
    expect(observed(await known(), 2, [alice, 11n], [bob, 4n])).toEqual([coin])
  })

  it('is passed over if the pair has moved later', async () => {
    const pairs = await known()
    await pairs.note(blockOf([moved], { number: 3 }), pause)
    expect(observed(pairs, 2, [alice, 99n])).toEqual([])
    expect(observed(pairs, 3, [alice, 8n])).toEqual([])
  })

  it('is passed over if it is of an id, or of a pair that has not moved', async () => {
    const pairs = await known()
    const balances = [{ token: coin, holder: alice, tokenId: 1n, value: 99n }]
    expect(pairs.noteObserved({ block: 2, balances })).toEqual([])
    expect(observed(pairs, 2, [other, 99n])).toEqual([])
    expect(observed(pairs, 2, [other, 98n], [alice, 10n])).toEqual([])
  })

  it('is what it was before a block that was reverted', async () => {
    const pairs = await known()
    const left = blockOf([moved], { number: 2 })
    await pairs.note(left, pause)
    await pairs.noteReverted(left, pause)
    expect(observed(pairs, 1, [alice, 10n])).toEqual([])
    expect(observed(pairs, 2, [bob, 5n])).toEqual([coin])
  })

  it('proves nothing if its own block was reverted, until it is observed again', async () => {
    const pairs = await known()
    expect(observed(pairs, 2, [alice, 10n])).toEqual([])
    await pairs.noteReverted(blockOf([], { number: 2 }), pause)
    expect(observed(pairs, 2, [alice, 12n])).toEqual([])
    expect(observed(pairs, 3, [alice, 13n])).toEqual([coin])
  })
})

describe('a sample of them', () => {
  const refs = (token: Address, ...holders: readonly (Address | null)[]) =>
    holders.map((holder) => ({ token, holder }))
  const noted = async (...blocks: readonly Block[]) => {
    const pairs = new RecentPairs({ recentPairsMax: 4 })
    for (const block of blocks) await pairs.note(block, pause)
    return pairs
  }
  const otherMoved = transfer(other, [alice, bob])

  it('has the holders of a token that the block only called', async () => {
    const pairs = await noted(blockOf([moved]))
    const calling = blockOf([], { number: 2, to: coin })
    expect(await sampled(pairs, calling)).toEqual(refs(coin, null, alice, bob))
    expect(await sampled(await noted(), calling)).toEqual([])
    // Blocks that come with it are not noted yet.
    expect(await sampled(await noted(), calling, [blockOf([moved])])).toEqual(
      refs(coin, null, alice, bob),
    )
  })

  it('never has the zero address', async () => {
    const mint = blockOf([transfer(coin, [zeroAddress, bob])])
    expect(await sampled(await noted(mint), mint)).toEqual(refs(coin, null, bob))
  })

  it('has no tokens that are not to be asked now, and no more than asked for', async () => {
    const block = blockOf([moved, otherMoved])
    const isAskable = (token: Address) => token !== coin
    const pairs = await noted(block)
    const sample = await pairs.sample({ block, earlier: [], countMax: 2, isAskable, pause })
    expect(sample).toEqual(refs(other, null, alice))
  })

  it('takes one holder of each token before the second of any', async () => {
    const block = blockOf([moved, otherMoved])
    const pairs = await noted(block)
    const sampling = { block, earlier: [], countMax: 5, isAskable: () => true, pause }
    const sample = await pairs.sample(sampling)
    expect(sample).toEqual([
      ...refs(coin, null, alice),
      ...refs(other, null, alice),
      ...refs(coin, bob),
    ])
  })

  it('begins with the token that was not observed for longest', async () => {
    const block = blockOf([moved, otherMoved])
    const pairs = await noted(block)
    observed(pairs, 1, [alice, 0n])
    expect((await sampled(pairs, block)).slice(0, 2)).toEqual(refs(other, null, alice))
  })

  it('of a block that touches none has those that wait for longest', async () => {
    const pairs = await noted(blockOf([moved, otherMoved]))
    observed(pairs, 1, [alice, 0n])
    const sample = [...refs(other, null, alice), ...refs(coin, null, bob)]
    expect(await sampled(pairs, blockOf([]))).toEqual(sample)
  })

  it('has as many of each token, once there are too many', async () => {
    const third = transfer(bob, [alice, bob])
    const pairs = await noted(blockOf([moved]), blockOf([otherMoved]), blockOf([third]))
    const all = [coin, other, bob].flatMap((token) => refs(token, null, bob))
    const sampling = { block: blockOf([]), earlier: [], countMax: 6, isAskable: () => true, pause }
    expect(await pairs.sample(sampling)).toEqual(all)
  })
})

interface Crowd {
  /** Contracts that move in each block before the coin. */
  readonly others: (block: number) => readonly Address[]
  readonly isCoinIn: (block: number) => boolean
}

const blocksMax = 100

/** Blocks whose sample holds the coin and a holder of it. */
async function blocksWithCoin({ others, isCoinIn }: Crowd): Promise<readonly number[]> {
  const pairs = new RecentPairs({ recentPairsMax: 256 })
  const found: number[] = []
  for (let number = 0; number < blocksMax; number++) {
    const logs = others(number).map((token) => transfer(token, [alice, bob]))
    const block = { ...blockOf([...logs, ...(isCoinIn(number) ? [moved] : [])]), number }
    const sampling = { block, earlier: [], countMax: 64, isAskable: () => true, pause }
    const asked = await pairs.sample(sampling)
    if (asked.some(({ token, holder }) => token === coin && holder !== null)) found.push(number)
    await pairs.note(block, pause)
  }
  return found
}

const contractsOf = (count: number, first = 0) =>
  Array.from({ length: count }, (_, at) => tokenAddress(0x10_0000 + first + at))

const longestGap = (blocks: readonly number[]): number =>
  Math.max(...[...blocks, blocksMax].map((block, at) => block - (blocks[at - 1] ?? -1)))

describe('a token that moves in each block', () => {
  // New contracts have places of chance on the ring: these gaps are several turns long.
  it.each<[string, Crowd['others'], number]>([
    ['the same 200 contracts', () => contractsOf(200), 16],
    ['32 new contracts', (block) => contractsOf(32, 32 * block), 12],
    ['64 new contracts', (block) => contractsOf(64, 64 * block), 24],
    ['160 new contracts', (block) => contractsOf(160, 160 * block), 50],
  ])('is sampled again and again although %s move before it', async (_, others, gapMax) => {
    const found = await blocksWithCoin({ others, isCoinIn: () => true })
    expect(longestGap(found)).toBeLessThanOrEqual(gapMax)
  })
})

describe('a token that moves once', () => {
  it.each([40, 100])(
    'is sampled within some blocks although %d new contracts move in each',
    async (count) => {
      const others = (block: number) => contractsOf(count, count * block)
      const [first = blocksMax] = await blocksWithCoin({ others, isCoinIn: (at) => at === 0 })
      expect(first).toBeLessThanOrEqual(Math.ceil(count / 16))
    },
  )
})
