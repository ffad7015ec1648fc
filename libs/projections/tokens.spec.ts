import { describe } from 'vitest'
import { zeroAddress } from '../chain/hex.ts'
import { balances } from '../tables/balances.ts'
import { holders } from '../tables/holders.ts'
import { instances } from '../tables/instances.ts'
import { tokenState } from '../tables/token-state.ts'
import {
  alice,
  balance,
  bob,
  burned,
  contract,
  created,
  describing,
  gap,
  minted,
  moved,
  nftMinted,
  nftMoved,
  observed,
  together,
  transferred,
} from './testing/facts.ts'
import { given, givenFromTheMiddle, law } from './testing/law.ts'

const coin = contract(1)
const cats = contract(3)
const both = contract(4)

describe('a token’s standard (decision 33)', () => {
  law('is what the contract says when it is first seen', () =>
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
      nftMinted(cats, alice, 1n),
      describing(minted(cats, alice, 5n), { address: cats, standard: 'ERC-20' }),
    )
      .shows(tokenState, [{ standard: 1, totalSupply: 1n }])
      .shows(balances, [{ value: 1n }]),
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

  law('is what the contract said as of its block, and what came later', () =>
    givenFromTheMiddle(
      describing(minted(coin, alice, 5n), { address: coin, totalSupply: 100n }),
      minted(coin, alice, 5n),
      burned(coin, alice, 1n),
    ).shows(tokenState, [{ totalSupply: 104n, isComplete: false }]),
  )

  law('said again as of an older block is late', () =>
    given(
      describing(minted(coin, alice, 5n), { address: coin, totalSupply: 100n }),
      describing(minted(coin, alice, 5n), { address: coin, totalSupply: 100n, block: 1 }),
    ).shows(tokenState, [{ totalSupply: 105n }]),
  )

  law('said as of a block before a gap is late', () =>
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
    given(
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

  law('of kinds is only what the contract says', () =>
    given(
      describing(moved(both, [zeroAddress, alice], [1n, 5n]), { address: both, totalSupply: 3n }),
      moved(both, [zeroAddress, alice], [1n, 5n]),
    ).shows(tokenState, [{ totalSupply: 3n }]),
  )
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
