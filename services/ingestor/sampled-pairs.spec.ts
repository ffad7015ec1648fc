import { expect, test } from 'vitest'
import type { Block } from '../../libs/chain/block.ts'
import { zeroAddress } from '../../libs/chain/hex.ts'
import {
  alice,
  type BlockFact,
  bob,
  consecutiveLog,
  contract,
  emitted,
  transferLog,
} from '../../libs/projections/testing/facts.ts'
import { logOf } from '../../libs/projections/testing/log-of.ts'
import { RecentPairs } from './recent-pairs.ts'

const blocksOf = (facts: readonly BlockFact[]): readonly Block[] =>
  logOf(facts).flatMap((message) => (message.kind === 'block.applied' ? [message.block] : []))

const sampling = (blocks: readonly Block[], recent: RecentPairs, at: number) => {
  const [block] = blocks.slice(at, at + 1)
  if (block === undefined) throw new Error('no block')
  const earlier = blocks.slice(0, at)
  return recent.sample({ block, earlier, countMax: 64, isAskable: () => true })
}

test('ids in a row are counted, whatever their number', () => {
  const logs = Array.from({ length: 10 }, (_, at) =>
    consecutiveLog(contract(at), [zeroAddress, alice], [1n, 10_000n]),
  )
  const blocks = blocksOf(Array.from({ length: 16 }, () => emitted(...logs)))
  const recent = new RecentPairs({ recentPairsMax: 100 })
  const begun = performance.now()
  for (const [at, block] of blocks.entries()) {
    sampling(blocks, recent, at)
    recent.note(block)
  }
  // One id after the other took minutes, or the block was too great to be looked at.
  expect(performance.now() - begun).toBeLessThan(5_000)
  const noted = { block: 16, balances: [{ token: contract(1), holder: alice, tokenId: null }] }
  const observed = (value: bigint, block: number) =>
    recent.noteObserved({ block, balances: noted.balances.map((one) => ({ ...one, value })) })
  expect(observed(160_000n, 16)).toEqual([])
  for (const block of blocksOf([emitted(...logs)])) recent.note({ ...block, number: 17 })
  expect(observed(170_000n, 17)).toEqual([])
  expect(observed(170_001n, 18)).toEqual([contract(1)])
})

test('a busy block leaves places for holders, and the next one begins with other tokens', () => {
  const logs = Array.from({ length: 100 }, (_, at) => transferLog(contract(at), [alice, bob], 5n))
  const blocks = blocksOf([emitted(...logs), emitted(...logs)])
  const recent = new RecentPairs({ recentPairsMax: 1_000 })
  const asked = blocks.map((block, at) => {
    recent.note(block)
    const refs = sampling(blocks, recent, at)
    const holders = refs.filter(({ holder }) => holder !== null)
    expect(holders.length).toBeGreaterThanOrEqual(30)
    const balances = holders.flatMap(({ token, holder }) =>
      holder === null ? [] : [{ token, holder, tokenId: null, value: 7n }],
    )
    recent.noteObserved({ block: block.number, balances })
    return holders.map(({ token }) => token)
  })
  const [first = [], second = []] = asked
  expect(first.filter((token) => second.includes(token))).toEqual([])
})
