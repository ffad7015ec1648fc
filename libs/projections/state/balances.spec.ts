import { describe } from 'vitest'
import { zeroAddress } from '../../chain/hex.ts'
import { balances, balancesByValue } from '../../tables/tables/balances.ts'
import { holders } from '../../tables/tables/holders.ts'
import { instances, nftsByOwner } from '../../tables/tables/instances.ts'
import { tokenState } from '../../tables/tables/tokens.ts'
import {
  alice,
  balance,
  batchMoved,
  bob,
  burned,
  carol,
  contract,
  created,
  describing,
  emitted,
  gap,
  minted,
  moved,
  nftMinted,
  nftMoved,
  observed,
  singleLog,
  together,
  transferLog,
  transferred,
} from '../testing/facts.ts'
import { given, givenFromTheMiddle, law } from '../testing/law.ts'

const coin = contract(1)
const kinds = contract(2)
const cats = contract(3)

describe('derived balances (decisions 23, 35, 36)', () => {
  law('a transfer moves its value', () =>
    given(minted(coin, alice, 5n), transferred(coin, [alice, bob], 2n))
      .shows(balances, [
        { holder: alice, token: coin, part: 0, tokenId: 0n, value: 3n },
        { holder: bob, token: coin, value: 2n },
      ])
      .shows(balancesByValue, [
        { holder: alice, standard: 0, value: 3n, ordinal: 1 },
        { holder: bob, value: 2n },
      ])
      .shows(holders, [
        { holder: alice, value: 3n, band: 32 },
        { holder: bob, value: 2n },
      ])
      .shows(tokenState, [{ token: coin, totalSupply: 5n, holdersCount: 2, isComplete: true }]),
  )

  law('a holder who sells all leaves the lists', () =>
    given(minted(coin, alice, 5n), transferred(coin, [alice, bob], 5n))
      .shows(balances, [{ holder: bob, value: 5n }])
      .shows(balancesByValue, [{ holder: bob, value: 5n }])
      .shows(holders, [{ holder: bob, value: 5n }])
      .shows(tokenState, [{ holdersCount: 1 }]),
  )

  law('a transfer to oneself changes nothing', () =>
    given(minted(coin, alice, 5n), transferred(coin, [alice, alice], 5n)).shows(balances, [
      { holder: alice, value: 5n, position: 1 },
    ]),
  )

  law('the zero address holds nothing', () =>
    given(minted(coin, alice, 5n), burned(coin, alice, 2n), minted(coin, zeroAddress, 9n))
      .shows(balances, [{ holder: alice, value: 3n }])
      .shows(holders, [{ holder: alice }])
      .shows(tokenState, [{ totalSupply: 3n, holdersCount: 1 }]),
  )

  law('a balance below zero is unknown from then on', () =>
    given(minted(coin, alice, 1n), transferred(coin, [alice, bob], 3n), minted(coin, alice, 9n))
      .shows(balances, [])
      .shows(tokenState, [{ holdersCount: null }]),
  )

  law('a payment may stand before the income that pays for it, in one block', () =>
    given(
      emitted(transferLog(coin, [alice, bob], 3n), transferLog(coin, [zeroAddress, alice], 3n)),
    ).shows(balances, [{ holder: bob, value: 3n }]),
  )

  law('a balance above 2^256-1 is unknown', () =>
    given(minted(coin, alice, (1n << 256n) - 1n), minted(coin, alice, 1n)).shows(balances, []),
  )

  law('the greatest amount is held in the last band', () =>
    given(minted(coin, alice, (1n << 256n) - 1n)).shows(holders, [{ band: 4096 }]),
  )
})

describe('a log that begins in the middle (decisions 23, 36)', () => {
  law('of an older token nothing is known', () =>
    givenFromTheMiddle(minted(coin, alice, 5n))
      .shows(balances, [])
      .shows(holders, [])
      .shows(tokenState, [{ totalSupply: null, holdersCount: null, isComplete: false }]),
  )

  law('of a token created in the log all is known', () =>
    givenFromTheMiddle(created(coin), minted(coin, alice, 5n))
      .shows(balances, [{ holder: alice, value: 5n }])
      .shows(tokenState, [{ totalSupply: 5n, holdersCount: 1, isComplete: true }]),
  )

  law('a creation and its first mint may share a transaction', () =>
    givenFromTheMiddle({
      kind: 'block',
      tokens: [],
      transactions: [
        { to: null, createdContract: coin, logs: [transferLog(coin, [zeroAddress, bob], 7n)] },
      ],
    }).shows(balances, [{ holder: bob, value: 7n }]),
  )

  law('a failed creation creates nothing', () =>
    givenFromTheMiddle(
      {
        ...created(coin),
        transactions: [{ status: 0, to: null, createdContract: coin, logs: [] }],
      },
      minted(coin, alice, 5n),
    ).shows(balances, []),
  )

  law('an observation makes a pair known, and transfers carry it on', () =>
    givenFromTheMiddle(
      minted(coin, alice, 5n),
      observed(balance(coin, alice, [null, 100n])),
      transferred(coin, [alice, bob], 30n),
    )
      .shows(balances, [{ holder: alice, value: 70n }])
      .shows(tokenState, [{ holdersCount: null }]),
  )

  law('an observation before the first block holds for it', () =>
    givenFromTheMiddle(
      observed(balance(coin, alice, [null, 100n])),
      transferred(coin, [alice, bob], 30n),
    ).shows(balances, [{ holder: alice, value: 70n }]),
  )

  law('an observation of a later block than the first holds what that block changed', () =>
    givenFromTheMiddle(
      observed(balance(coin, alice, [null, 100n]), { age: -2 }),
      transferred(coin, [alice, bob], 30n),
      transferred(coin, [alice, bob], 20n),
      transferred(coin, [alice, bob], 1n),
    ).shows(balances, [{ holder: alice, value: 99n }]),
  )

  law('of several observations before the first block the newest hold', () => {
    const old = observed(balance(coin, bob, [null, 7n]), { age: 1 })
    const recent = observed(balance(coin, carol, [null, 8n]))
    const sight = minted(coin, alice, 1n)
    givenFromTheMiddle(old, recent, sight).shows(balances, [{ holder: carol, value: 8n }])
    givenFromTheMiddle(recent, old, sight).shows(balances, [{ holder: carol, value: 8n }])
  })

  law('an observation from before the log is worth nothing', () =>
    givenFromTheMiddle(
      minted(coin, alice, 5n),
      observed(balance(coin, carol, [null, 100n]), { age: 2 }),
    ).shows(balances, []),
  )

  law('an observation with a hole before the first block is worth nothing', () =>
    givenFromTheMiddle(
      observed(balance(coin, alice, [null, 100n]), { age: 1 }),
      transferred(coin, [bob, carol], 30n),
    ).shows(balances, []),
  )
})

describe('observations overrule (decision 23)', () => {
  law('what was derived', () =>
    given(minted(coin, alice, 5n), observed(balance(coin, alice, [null, 6n]))).shows(balances, [
      { holder: alice, value: 6n },
    ]),
  )

  law('but not what changed after them', () =>
    given(
      minted(coin, alice, 5n),
      minted(coin, alice, 1n),
      observed(balance(coin, alice, [null, 9n]), { age: 1 }),
    ).shows(balances, [{ holder: alice, value: 6n }]),
  )

  law('a transfer to oneself does not make them late', () =>
    given(
      minted(coin, alice, 5n),
      transferred(coin, [alice, alice], 5n),
      observed(balance(coin, alice, [null, 9n]), { age: 1 }),
    ).shows(balances, [{ holder: alice, value: 9n }]),
  )

  law('but not where the token has no such part', () =>
    given(minted(coin, alice, 5n), observed(balance(coin, alice, [3n, 6n])))
      .shows(balances, [{ holder: alice, part: 0, value: 5n }])
      .shows(instances, []),
  )

  law('nor where it turns out to have none', () =>
    given(observed(balance(coin, alice, [3n, 6n])), minted(coin, alice, 5n))
      .shows(balances, [{ holder: alice, part: 0, value: 5n }])
      .shows(holders, [{ part: 0 }])
      .shows(instances, []),
  )

  law('and heal a pair that went below zero', () =>
    given(transferred(coin, [alice, bob], 3n), observed(balance(coin, alice, [null, 4n]))).shows(
      balances,
      [{ holder: alice, value: 4n }],
    ),
  )

  law('of a token that nobody knows yet, once it is known what it is', () =>
    given(
      observed({
        ...balance(coin, carol, [null, 8n]),
        supplies: [{ token: coin, value: 8n }],
      }),
      minted(coin, alice, 5n),
    )
      .shows(balances, [
        { holder: alice, value: 5n },
        { holder: carol, value: 8n },
      ])
      .shows(holders, [{ holder: carol }, { holder: alice }]),
  )

  law('nothing of the zero address', () =>
    given(minted(coin, alice, 5n), observed(balance(coin, zeroAddress, [null, 8n]))).shows(
      balances,
      [{ holder: alice }],
    ),
  )
})

describe('gaps', () => {
  law('make every balance unknown until it is observed again', () =>
    given(
      minted(coin, alice, 5n),
      minted(coin, bob, 6n),
      gap(3),
      transferred(coin, [alice, bob], 1n),
      observed(balance(coin, bob, [null, 9n])),
    )
      .shows(balances, [{ holder: bob, value: 9n }])
      .shows(tokenState, [{ totalSupply: null, holdersCount: null, isComplete: false }]),
  )

  law('what moves after them stays unknown', () =>
    given(minted(coin, alice, 5n), gap(3), transferred(coin, [bob, alice], 1n))
      .shows(balances, [])
      .shows(holders, []),
  )

  law('a token created before a gap and first seen after it is incomplete', () =>
    given(created(cats), gap(1), nftMinted(cats, bob, 1n)).shows(holders, []),
  )

  law('an observation from inside a gap is skipped', () =>
    given(
      minted(coin, alice, 5n),
      gap(3),
      observed(balance(coin, alice, [null, 5n]), { age: 1 }),
    ).shows(balances, []),
  )

  law('a token created after a gap is complete', () =>
    given(minted(coin, alice, 5n), gap(3), created(cats), nftMinted(cats, bob, 1n)).shows(holders, [
      { token: cats, holder: bob },
    ]),
  )

  law('take the owners of NFTs along', () =>
    given(nftMinted(cats, alice, 1n), gap(1), nftMinted(cats, bob, 2n)).shows(balances, [
      { holder: bob, value: 1n },
    ]),
  )
})

describe('kinds (ERC-1155)', () => {
  law('each id is held for itself, and a holder counts once', () =>
    given(
      moved(kinds, [zeroAddress, alice], [1n, 5n]),
      batchMoved(
        kinds,
        [zeroAddress, alice],
        [
          [2n, 7n],
          [3n, 8n],
        ],
      ),
    )
      .shows(balances, [
        { token: kinds, part: 1, tokenId: 1n, value: 5n },
        { tokenId: 2n, value: 7n },
        { tokenId: 3n, value: 8n },
      ])
      .shows(balancesByValue, [
        { value: 8n, ordinal: 4 },
        { value: 7n, ordinal: 3 },
        { value: 5n, ordinal: 2 },
      ])
      .shows(tokenState, [{ standard: 2, holdersCount: 1, totalSupply: null }]),
  )

  law('a holder is one as long as an id is left', () =>
    given(
      together(
        moved(kinds, [zeroAddress, alice], [1n, 5n]),
        moved(kinds, [zeroAddress, alice], [2n, 5n]),
      ),
      moved(kinds, [alice, bob], [1n, 5n]),
      emitted(singleLog(kinds, [alice, bob], [2n, 5n])),
    ).shows(tokenState, [{ holdersCount: 1 }]),
  )
})

describe('collections (ERC-721, decision 37)', () => {
  law('an address shows the ids that it is known to own', () =>
    givenFromTheMiddle(
      nftMoved(cats, [alice, bob], 1n),
      nftMoved(cats, [alice, bob], 2n),
      nftMoved(cats, [bob, carol], 1n),
      nftMoved(cats, [carol, zeroAddress], 1n),
    )
      .shows(balances, [{ holder: bob, token: cats, part: 0, value: 1n }])
      .shows(holders, []),
  )

  law('holders are listed where the history is complete', () =>
    given(nftMinted(cats, alice, 1n), nftMinted(cats, alice, 2n), nftMoved(cats, [alice, bob], 1n))
      .shows(holders, [{ holder: bob }, { holder: alice }])
      .shows(tokenState, [{ totalSupply: 2n, holdersCount: 2 }]),
  )

  law('or where a count was observed', () =>
    givenFromTheMiddle(
      nftMoved(cats, [alice, bob], 1n),
      observed(balance(cats, bob, [null, 4n])),
      nftMoved(cats, [bob, carol], 1n),
    )
      .shows(holders, [{ holder: bob, value: 3n }])
      .shows(balances, [{ holder: carol, value: 1n }]),
  )
})

describe('forms that are not the token’s (decision 48)', () => {
  law('move no amount: ids are in the lists of their holders', () =>
    given(
      describing(minted(coin, alice, 5n), { address: coin, standard: 'ERC-20' }),
      moved(coin, [zeroAddress, bob], [1n, 3n]),
      nftMoved(coin, [alice, bob], 2n),
    )
      .shows(balances, [
        { holder: alice, value: 5n, standard: 0 },
        { holder: bob, tokenId: 1n, value: 3n, standard: 2 },
      ])
      .shows(nftsByOwner, [
        { owner: bob, tokenId: 2n, standard: 1 },
        { owner: bob, tokenId: 1n, standard: 2 },
      ]),
  )
})
