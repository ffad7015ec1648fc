import { expect, test } from 'vitest'
import type { Block } from '../../../libs/chain/block.ts'
import { type Address, zeroAddress } from '../../../libs/chain/hex.ts'
import { pauses } from '../../../libs/chain/pauses.ts'
import {
  alice,
  type BlockFact,
  bob,
  consecutiveLog,
  contract,
  emitted,
  transferLog,
} from '../../../libs/projections/testing/facts.ts'
import { logOf } from '../../../libs/projections/testing/log-of.ts'
import { RecentPairs } from './recent-pairs.ts'
import { eachMove } from './touched-pairs.ts'

const blocksOf = (facts: readonly BlockFact[]): readonly Block[] =>
  logOf(facts).flatMap((message) => (message.kind === 'block.applied' ? [message.block] : []))

const pause = pauses()
const sampling = (blocks: readonly Block[], recent: RecentPairs, at: number) => {
  const [block] = blocks.slice(at, at + 1)
  if (block === undefined) throw new Error('no block')
  const earlier = blocks.slice(0, at)
  return recent.sample({ block, earlier, countMax: 64, isAskable: () => true, pause })
}

test('ids in a row are counted at once, whatever their number', async () => {
  const logs = Array.from({ length: 10 }, (_, at) =>
    consecutiveLog(contract(at), [zeroAddress, alice], [1n, 10_000n]),
  )
  const blocks = blocksOf(Array.from({ length: 16 }, () => emitted(...logs)))
  const recent = new RecentPairs({ recentPairsMax: 100 })
  let steps = 0
  const counting = () => {
    steps += 1
    return undefined
  }
  for (const [at, block] of blocks.entries()) {
    await sampling(blocks, recent, at)
    await eachMove(block, counting, () => {
      steps += 1
    })
    await recent.note(block, pause)
  }
  // A place to pause and a holder for each log, not for each id, and a place for each transaction.
  expect(steps).toBe(blocks.length * (2 * logs.length + 1))
  const noted = { block: 16, balances: [{ token: contract(1), holder: alice, tokenId: null }] }
  const observed = (value: bigint, block: number) =>
    recent.noteObserved({ block, balances: noted.balances.map((one) => ({ ...one, value })) })
  expect(observed(160_000n, 16)).toEqual([])
  for (const block of blocksOf([emitted(...logs)]))
    await recent.note({ ...block, number: 17 }, pause)
  expect(observed(170_000n, 17)).toEqual([])
  expect(observed(170_001n, 18)).toEqual([contract(1)])
})

test('a busy block leaves places for holders, and the next one begins with other tokens', async () => {
  const logs = Array.from({ length: 100 }, (_, at) => transferLog(contract(at), [alice, bob], 5n))
  const blocks = blocksOf([emitted(...logs), emitted(...logs)])
  const recent = new RecentPairs({ recentPairsMax: 1_000 })
  const asked: Address[][] = []
  for (const [at, block] of blocks.entries()) {
    await recent.note(block, pause)
    const refs = await sampling(blocks, recent, at)
    const holders = refs.filter(({ holder }) => holder !== null)
    expect(holders.length).toBeGreaterThanOrEqual(30)
    const balances = holders.flatMap(({ token, holder }) =>
      holder === null ? [] : [{ token, holder, tokenId: null, value: 7n }],
    )
    recent.noteObserved({ block: block.number, balances })
    asked.push(holders.map(({ token }) => token))
  }
  const [first = [], second = []] = asked
  expect(first.filter((token) => second.includes(token))).toEqual([])
})
