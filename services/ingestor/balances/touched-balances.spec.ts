import { toEventSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import type { TransactionLog } from '../../../libs/chain/block.ts'
import { hash } from '../../../libs/chain/hex.ts'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { words } from '../../../libs/projections/testing/facts.ts'
import { chainInLog } from '../../../test/support/chain-in-log.ts'
import {
  alice,
  bob,
  nameOf,
  observableChain,
  observations,
  other,
  transfer,
} from '../../../test/support/observable-chain.ts'

describe('a token that changes its supply without a transfer', () => {
  const logOf = (event: string) => ({
    index: 0,
    address: other,
    topics: [hash(toEventSelector(event))],
    data: words(7),
  })
  /** The supplies and balances that are asked for as of each block. */
  async function askedIn(blocks: readonly TransactionLog[][]) {
    const source = observableChain()
    for (const logs of blocks) source.grow(1, [], logs)
    const asked: unknown[] = []
    source.observe = async ({ block, hash, values }) => {
      const tokens = values.flatMap(({ token, holder }) => (holder === null ? token : []))
      const holders = values.flatMap(({ holder }) => holder ?? [])
      asked.push([block, tokens.map(nameOf), holders.map(nameOf)])
      const observed = { block, hash, balances: [], owners: [], tokens: [] }
      const supplies = tokens.map((token) => ({ token, value: 5n }))
      return { observation: { ...observed, supplies }, unanswered: [], failed: [] }
    }
    const eventLog = memoryEventLog()
    await observations({ source, eventLog, limits: { blocksAheadMax: 1 } })
    const { accepted } = await chainInLog(eventLog)
    return { asked, seen: accepted.filter((it) => it.kind === 'state.observed') }
  }
  const moves = transfer(other, [alice, bob])

  it.each(['Issue(uint256)', 'Redeem(uint256)'])('is asked for it at %s', async (event) => {
    const { asked, seen } = await askedIn([[moves], [logOf(event)], [moves]])
    expect(asked).toEqual([[1, ['8'], []]])
    expect(seen).toMatchObject([{ block: 1, supplies: [{ token: other, value: 5n }] }])
  })

  it('and all balances with it is asked for balances that it moves from then on', async () => {
    const { asked } = await askedIn([[moves], [logOf('LogRebase(uint256,uint256)')], [moves]])
    expect(asked).toEqual([
      [1, ['8'], []],
      [2, [], ['a', 'b']],
    ])
  })
})
