import { describe } from 'vitest'
import { zeroAddress } from '../../chain/hex.ts'
import { balances } from '../../tables/tables/balances.ts'
import { holders } from '../../tables/tables/holders.ts'
import { instances, nftsByOwner } from '../../tables/tables/instances.ts'
import { tokenState } from '../../tables/tables/tokens.ts'
import {
  alice,
  balance,
  bob,
  carol,
  contract,
  describing,
  gap,
  minted,
  moved,
  nftMinted,
  nftMoved,
  observed,
} from '../testing/facts.ts'
import { given, givenFromTheMiddle, law } from '../testing/law.ts'

const cats = contract(1)
const kinds = contract(2)
const both = contract(3)
const greatest = (1n << 256n) - 1n

describe('ERC-721', () => {
  law('the owner is known after the last transfer, wherever the log begins', () =>
    givenFromTheMiddle(
      nftMoved(cats, [alice, bob], greatest),
      nftMoved(cats, [bob, carol], greatest),
    )
      .shows(instances, [{ token: cats, tokenId: greatest, owner: carol, isUnique: true }])
      .shows(nftsByOwner, [{ owner: carol, standard: 1, tokenId: greatest, value: 1n }]),
  )

  law('an NFT that left and came back within a block is where it was', () =>
    given(nftMinted(cats, alice, 1n), {
      kind: 'block',
      tokens: [],
      transactions: [
        ...nftMoved(cats, [alice, bob], 1n).transactions,
        ...nftMoved(cats, [bob, alice], 1n).transactions,
      ],
    }).shows(nftsByOwner, [{ owner: alice, tokenId: 1n, position: 1 }]),
  )

  law('a burned one has no owner', () =>
    given(nftMinted(cats, alice, 1n), nftMoved(cats, [alice, zeroAddress], 1n))
      .shows(instances, [{ tokenId: 1n, owner: null, isUnique: true }])
      .shows(nftsByOwner, [])
      .shows(balances, []),
  )

  law('an observed owner overrules, unless it has changed since', () =>
    given(
      nftMinted(cats, alice, 1n),
      nftMinted(cats, alice, 2n),
      observed(
        {
          owners: [
            { token: cats, tokenId: 1n, owner: bob },
            { token: cats, tokenId: 2n, owner: bob },
          ],
        },
        { age: 1 },
      ),
    )
      .shows(instances, [{ owner: bob }, { owner: alice }])
      .shows(balances, [
        { holder: alice, value: 1n },
        { holder: bob, value: 1n },
      ]),
  )

  law('after a gap no owner is known', () =>
    given(nftMinted(cats, alice, 1n), nftMinted(cats, alice, 2n), gap(2))
      .shows(instances, [])
      .shows(nftsByOwner, []),
  )

  law('until its next transfer', () =>
    given(
      nftMinted(cats, alice, 1n),
      nftMinted(cats, alice, 2n),
      gap(2),
      nftMoved(cats, [alice, bob], 1n),
    )
      .shows(instances, [{ tokenId: 1n, owner: bob, isUnique: true }])
      .shows(nftsByOwner, [{ owner: bob, tokenId: 1n }]),
  )
})

describe('ERC-1155 (decision 38)', () => {
  law('is unique where one holder holds exactly one', () =>
    given(
      moved(kinds, [zeroAddress, alice], [1n, 1n]),
      moved(kinds, [zeroAddress, alice], [2n, 2n]),
      moved(kinds, [zeroAddress, alice], [3n, 1n]),
      moved(kinds, [zeroAddress, bob], [3n, 1n]),
      moved(kinds, [alice, carol], [1n, 1n]),
    )
      .shows(instances, [
        { tokenId: 1n, isUnique: true, owner: carol },
        { tokenId: 2n, isUnique: false, owner: null },
        { tokenId: 3n, isUnique: false, owner: null },
      ])
      .shows(nftsByOwner, [
        { owner: alice, tokenId: 3n, value: 1n },
        { owner: alice, tokenId: 2n, value: 2n },
        { owner: bob, tokenId: 3n, value: 1n },
        { owner: carol, tokenId: 1n, value: 1n },
      ]),
  )

  law('the owner is unknown while the history is incomplete', () =>
    givenFromTheMiddle(
      moved(kinds, [alice, bob], [1n, 1n]),
      observed(balance(kinds, bob, [1n, 1n])),
    )
      .shows(instances, [{ isUnique: false, owner: null }])
      .shows(nftsByOwner, [{ owner: bob, standard: 2, value: 1n }]),
  )

  law('not even where all that is known of it was observed', () =>
    givenFromTheMiddle(
      observed(balance(kinds, bob, [1n, 1n])),
      moved(kinds, [zeroAddress, carol], [2n, 1n]),
    ).shows(instances, [
      { tokenId: 1n, isUnique: false, owner: null },
      { tokenId: 2n, isUnique: false },
    ]),
  )

  law('or while a holder deviates', () =>
    given(
      moved(kinds, [zeroAddress, alice], [1n, 1n]),
      moved(kinds, [bob, zeroAddress], [1n, 4n]),
    ).shows(instances, []),
  )

  law('nor when that one alone was observed: the kinds are in doubt (decision 64)', () =>
    given(
      moved(kinds, [zeroAddress, alice], [1n, 1n]),
      moved(kinds, [bob, zeroAddress], [1n, 4n]),
      observed(balance(kinds, bob, [1n, 0n])),
    ).shows(instances, []),
  )
})

describe('ERC-404', () => {
  const isBoth = { address: both, standard: 'ERC-404' } as const

  law('has a fungible part and ids, and a holder of both counts once', () =>
    given(
      describing(minted(both, alice, 100n), isBoth),
      nftMinted(both, alice, 7n),
      nftMoved(both, [alice, bob], 7n),
    )
      .shows(balances, [
        { holder: alice, part: 0, tokenId: 0n, value: 100n },
        { holder: bob, part: 1, tokenId: 7n, value: 1n },
      ])
      .shows(nftsByOwner, [{ owner: bob, standard: 3, tokenId: 7n, value: 1n }])
      .shows(holders, [
        { holder: alice, part: 0 },
        { holder: bob, part: 1, tokenId: 7n },
      ])
      .shows(instances, [{ tokenId: 7n, owner: bob, isUnique: true }])
      .shows(tokenState, [{ standard: 3, totalSupply: 100n, holdersCount: 2 }]),
  )

  law('an id moves from who had it', () =>
    givenFromTheMiddle(
      describing(nftMoved(both, [carol, alice], 7n), isBoth),
      nftMoved(both, [alice, bob], 7n),
      nftMoved(both, [bob, zeroAddress], 7n),
      nftMoved(both, [carol, bob], 8n),
    ).shows(balances, [{ holder: bob, part: 1, tokenId: 8n, value: 1n }]),
  )
})
