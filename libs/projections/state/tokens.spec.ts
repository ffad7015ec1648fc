import { describe, expect } from 'vitest'
import { zeroAddress } from '../../chain/hex.ts'
import { balances } from '../../tables/tables/balances.ts'
import { holders } from '../../tables/tables/holders.ts'
import { instances } from '../../tables/tables/instances.ts'
import { tokenState } from '../../tables/tables/tokens.ts'
import {
  alice,
  balance,
  blockOf,
  bob,
  burned,
  carol,
  contract,
  created,
  dave,
  describing,
  gap,
  minted,
  moved,
  nftMinted,
  nftMoved,
  observed,
  together,
  transferred,
} from '../testing/facts.ts'
import { given, givenFromTheMiddle, InMemoryGroup, law } from '../testing/law.ts'
import { logOf, withoutEarlierCode } from '../testing/log-of.ts'
import { stateGroup } from './state-group.ts'

const coin = contract(1)
const cats = contract(3)
const both = contract(4)

describe('a token’s standard (decision 33)', () => {
  law('is what the contract returns when it first occurs', () =>
    given(describing(minted(coin, alice, 5n), { address: coin, standard: 'ERC-404' })).shows(
      tokenState,
      [{ standard: 3 }],
    ),
  )

  law('else the form of its first transfer', () =>
    given(
      describing(nftMinted(cats, alice, 1n), { address: cats, name: 'Cats' }),
      minted(coin, alice, 5n),
      moved(both, [zeroAddress, alice], [1n, 1n]),
    ).shows(tokenState, [
      { token: coin, standard: 0 },
      { token: cats, standard: 1, name: 'Cats', totalSupply: 1n },
      { token: both, standard: 2 },
    ]),
  )

  law('and fixed from then on', () =>
    given(
      describing(nftMinted(cats, alice, 1n), { address: cats, standard: 'ERC-721' }),
      describing(minted(cats, alice, 5n), { address: cats, standard: 'ERC-20', decimals: 18 }),
    )
      .shows(tokenState, [{ standard: 1, totalSupply: 2n }])
      .shows(balances, [{ value: 2n }]),
  )

  law('what only was observed is no token yet', () =>
    given(
      minted(coin, alice, 5n),
      observed(balance(cats, alice, [null, 1n]), { tokens: [{ address: cats, name: 'Cats' }] }),
    )
      .shows(tokenState, [{ token: coin }])
      .shows(holders, [{ token: coin }]),
  )

  law('what was observed before is there once it is one', () =>
    givenFromTheMiddle(
      observed({
        ...balance(cats, alice, [null, 2n]),
        owners: [
          { token: cats, tokenId: 1n, owner: alice },
          { token: cats, tokenId: 2n, owner: alice },
        ],
      }),
      nftMoved(cats, [alice, bob], 1n),
    )
      .shows(balances, [
        { holder: alice, value: 1n },
        { holder: bob, value: 1n },
      ])
      .shows(holders, [{ holder: alice, value: 1n }])
      .shows(instances, [
        { tokenId: 1n, owner: bob },
        { tokenId: 2n, owner: alice },
      ]),
  )
})

describe('names (decision 53)', () => {
  law('blank is null', () =>
    given(
      describing(minted(coin, alice, 5n), { address: coin, name: '', symbol: ' \t', decimals: 6 }),
    ).shows(tokenState, [{ name: null, symbol: null, decimals: 6 }]),
  )

  law('the newest wins, silence erases nothing, an older one is late', () =>
    given(
      describing(minted(coin, alice, 5n), { address: coin, name: 'Old', symbol: 'OLD' }),
      describing(minted(coin, alice, 5n), { address: coin, name: 'New' }),
      describing(minted(coin, alice, 5n), { address: coin, name: 'Late', block: 1 }),
      describing(minted(coin, alice, 5n), { address: coin }),
    ).shows(tokenState, [{ name: 'New', symbol: 'OLD' }]),
  )
})

describe('supply', () => {
  law('of a complete token is what was minted less what was burned', () =>
    given(
      together(minted(coin, alice, 5n), minted(coin, bob, 4n), nftMinted(cats, alice, 9n)),
      together(burned(coin, alice, 2n), nftMoved(cats, [alice, zeroAddress], 9n)),
      nftMinted(cats, alice, 3n),
      transferred(coin, [zeroAddress, zeroAddress], 100n),
    ).shows(tokenState, [
      { token: coin, totalSupply: 7n },
      { token: cats, totalSupply: 1n },
    ]),
  )

  law('is what the contract returned as of its block, and what came later', () =>
    givenFromTheMiddle(
      describing(minted(coin, alice, 5n), { address: coin, totalSupply: 100n }),
      minted(coin, alice, 5n),
      burned(coin, alice, 1n),
    ).shows(tokenState, [{ totalSupply: 104n, isComplete: false }]),
  )

  law('returned again as of an older block is ignored', () =>
    given(
      describing(minted(coin, alice, 5n), { address: coin, totalSupply: 100n }),
      describing(minted(coin, alice, 5n), { address: coin, totalSupply: 100n, block: 1 }),
    ).shows(tokenState, [{ totalSupply: 105n }]),
  )

  law('returned as of a block before a gap is ignored', () =>
    given(
      minted(coin, alice, 5n),
      gap(3),
      describing(minted(coin, alice, 5n), { address: coin, totalSupply: 100n, block: 2 }),
    ).shows(tokenState, [{ totalSupply: null }]),
  )

  law('below zero is unknown until observed', () =>
    given(burned(coin, alice, 5n), minted(coin, alice, 9n)).shows(tokenState, [
      { totalSupply: null },
    ]),
  )

  law('observed overrules', () =>
    givenFromTheMiddle(
      burned(coin, alice, 5n),
      observed({ supplies: [{ token: coin, value: 50n }] }),
      minted(coin, alice, 9n),
    ).shows(tokenState, [{ totalSupply: 59n }]),
  )

  law('observed before the last mint is late', () =>
    given(
      minted(coin, alice, 5n),
      minted(coin, alice, 9n),
      observed({ supplies: [{ token: coin, value: 50n }] }, { age: 1 }),
    ).shows(tokenState, [{ totalSupply: 14n }]),
  )

  law('of kinds is only what the contract returns', () =>
    given(
      describing(moved(both, [zeroAddress, alice], [1n, 5n]), { address: both, totalSupply: 3n }),
      moved(both, [zeroAddress, alice], [1n, 5n]),
    ).shows(tokenState, [{ totalSupply: 3n }]),
  )
})

describe('supply that contradicts the log (decision 55)', () => {
  const overdrawn = [
    minted(coin, alice, 5n),
    minted(coin, carol, 9n),
    transferred(coin, [alice, bob], 6n),
  ]

  law('is unknown once more moves than was minted', () =>
    given(...overdrawn, minted(coin, carol, 1n)).shows(tokenState, [
      { totalSupply: null, holdersCount: null },
    ]),
  )

  law('also where nothing was ever minted', () =>
    given(transferred(coin, [alice, bob], 3n), nftMoved(cats, [alice, bob], 3n)).shows(tokenState, [
      { token: coin, totalSupply: null },
      { token: cats, totalSupply: null },
    ]),
  )

  law('until it is observed', () =>
    given(...overdrawn, observed({ supplies: [{ token: coin, value: 20n }] })).shows(tokenState, [
      { totalSupply: 20n },
    ]),
  )

  law('and again from the next block on that calls it: it is in doubt (decision 64)', () =>
    given(
      ...overdrawn,
      observed({ supplies: [{ token: coin, value: 20n }] }),
      blockOf({ to: coin, logs: [] }),
    ).shows(tokenState, [{ totalSupply: null }]),
  )

  law('not by what was observed before', () =>
    given(...overdrawn, observed({ supplies: [{ token: coin, value: 20n }] }, { age: 1 })).shows(
      tokenState,
      [{ totalSupply: null }],
    ),
  )

  law('but not if the contract returned it as of that block', () =>
    given(
      ...overdrawn.slice(0, -1),
      describing(transferred(coin, [alice, bob], 6n), { address: coin, totalSupply: 20n }),
    ).shows(tokenState, [{ totalSupply: 20n }]),
  )

  law('is unknown where known holders hold more', () =>
    givenFromTheMiddle(
      describing(transferred(coin, [dave, carol], 1n), { address: coin, totalSupply: 10n }),
      observed(balance(coin, alice, [null, 6n])),
      observed(balance(coin, bob, [null, 5n])),
      burned(coin, alice, 2n),
    ).shows(tokenState, [{ totalSupply: null }]),
  )

  law('is what the contract returns, however much is held', () =>
    givenFromTheMiddle(
      transferred(coin, [dave, carol], 1n),
      observed(balance(coin, alice, [null, 6n])),
      observed({ supplies: [{ token: coin, value: 4n }] }),
      blockOf(),
    ).shows(tokenState, [{ totalSupply: 4n }]),
  )

  law('of kinds is only what the contract returns', () =>
    givenFromTheMiddle(
      describing(moved(both, [alice, bob], [1n, 5n]), { address: both, totalSupply: 3n }),
      moved(both, [bob, carol], [1n, 9n]),
    ).shows(tokenState, [{ totalSupply: 3n }]),
  )

  law('a reorganisation that takes the overdraft back brings the supply back', () => {
    const messages = logOf(withoutEarlierCode(overdrawn))
    const runner = new InMemoryGroup(stateGroup)
    runner.fold(messages)
    expect(runner.tables.rowsOf('token_state')).toMatchObject([{ totalSupply: null }])
    runner.takeBack(1)
    expect(runner.tables.rowsOf('token_state')).toMatchObject([{ totalSupply: 14n }])
  })
})

describe('holders_count (decision 36)', () => {
  law('is null as long as the history is incomplete', () =>
    givenFromTheMiddle(
      minted(coin, alice, 5n),
      observed(balance(coin, alice, [null, 5n])),
      together(created(cats), nftMinted(cats, alice, 1n)),
    ).shows(tokenState, [
      { token: coin, holdersCount: null },
      { token: cats, holdersCount: 1 },
    ]),
  )
})
