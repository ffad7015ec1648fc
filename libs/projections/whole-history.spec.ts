import { describe, expect } from 'vitest'
import { stateGroup } from './state/state-group.ts'
import {
  alice,
  balance,
  bob,
  carol,
  contract,
  created,
  describing,
  type Fact,
  minted,
  observed,
  transferred,
} from './testing/facts.ts'
import { expectWayBack, InMemoryGroup, law } from './testing/law.ts'
import { logOf } from './testing/log-of.ts'

const coin = contract(1)

/** Like `given` for a log of which nobody says what had code before its first block. */
const fromGenesis = (...facts: Fact[]) => {
  const group = new InMemoryGroup(stateGroup)
  group.fold(logOf(facts, 0))
  expectWayBack(logOf(facts, 0), stateGroup)
  return group.tables
}

describe('whether the log holds a whole history (decisions 23, 36)', () => {
  law('a log from block 0 on does not tell what the genesis block allocated', () => {
    const tables = fromGenesis(
      transferred(coin, [alice, bob], 30n),
      transferred(coin, [alice, carol], 1n),
    )
    expect(tables.rowsOf('balances')).toEqual([])
    expect(tables.rowsOf('holders')).toEqual([])
    expect(tables.rowsOf('token_state')).toMatchObject([{ holdersCount: null, totalSupply: null }])
  })

  law('a creation in the log does, and so does a node that says there was no code before', () => {
    const known = [{ holder: bob, value: 5n }]
    const nothing = describing(minted(coin, bob, 5n), { address: coin, hasCodeBefore: false })
    for (const facts of [[created(coin), minted(coin, bob, 5n)], [nothing]]) {
      const tables = fromGenesis(...facts)
      expect(tables.rowsOf('balances')).toMatchObject(known)
      expect(tables.rowsOf('token_state')).toMatchObject([{ holdersCount: 1, totalSupply: 5n }])
    }
    const older = describing(minted(coin, bob, 5n), { address: coin, hasCodeBefore: true })
    expect(fromGenesis(older).rowsOf('balances')).toEqual([])
  })

  law('an observed pair of an older token is known', () => {
    const facts = [
      transferred(coin, [alice, bob], 30n),
      observed(balance(coin, bob, [null, 35n])),
      transferred(coin, [bob, carol], 5n),
    ]
    expect(fromGenesis(...facts).rowsOf('balances')).toMatchObject([{ holder: bob, value: 30n }])
  })
})
