import { describe, expect, test } from 'vitest'
import { hex, zeroAddress } from '../chain/hex.ts'
import { balances } from '../tables/balances.ts'
import { balancesByValue } from '../tables/balances-by-value.ts'
import { holders } from '../tables/holders.ts'
import { tokenState } from '../tables/token-state.ts'
import {
  addressWord,
  alice,
  balance,
  bob,
  burned,
  carol,
  contract,
  deposited,
  depositLog,
  describing,
  emitted,
  gap,
  minted,
  nftMinted,
  observed,
  together,
  transferLog,
  transferred,
  withdrawn,
  word,
  words,
} from './testing/facts.ts'
import { given, law } from './testing/law.ts'
import { depositTopic, withdrawalTopic, wrappingHolder } from './wrapping.ts'

const coin = contract(1)
const cats = contract(3)

describe('what a wrapped coin tells without a transfer (decision 23)', () => {
  law('makes the balance unknown, and the supply', () =>
    given(minted(coin, alice, 5n), minted(coin, bob, 6n), deposited(coin, alice, 3n))
      .shows(balances, [{ holder: bob, value: 6n }])
      .shows(balancesByValue, [{ holder: bob }])
      .shows(holders, [{ holder: bob }])
      .shows(tokenState, [{ totalSupply: null, holdersCount: 1 }]),
  )

  law('a withdrawal as well as a deposit', () =>
    given(minted(coin, alice, 5n), withdrawn(coin, alice, 3n))
      .shows(balances, [])
      .shows(tokenState, [{ totalSupply: null, holdersCount: 0 }]),
  )

  law('before the first transfer, when nobody knows yet that it is a token', () =>
    given(deposited(coin, alice, 9n), transferred(coin, [alice, bob], 4n))
      .shows(balances, [{ holder: bob, value: 4n }])
      .shows(tokenState, [{ totalSupply: null, holdersCount: 1 }]),
  )

  law('in the block of the first transfer, before it or after it', () => {
    const logs = [depositLog(coin, alice, 9n), transferLog(coin, [alice, bob], 4n)]
    for (const told of [logs, logs.toReversed()]) {
      given(emitted(...told))
        .shows(balances, [{ holder: bob, value: 4n }])
        .shows(tokenState, [{ totalSupply: null }])
    }
  })

  law('and what moves later stays unknown until it is observed', () =>
    given(
      minted(coin, alice, 5n),
      deposited(coin, alice, 3n),
      minted(coin, alice, 1n),
      burned(coin, alice, 2n),
    )
      .shows(balances, [])
      .shows(tokenState, [{ totalSupply: null }]),
  )

  law('an observation of the same block heals both, and transfers carry it on', () =>
    given(
      deposited(coin, alice, 9n),
      observed(balance(coin, alice, [null, 9n])),
      observed({ supplies: [{ token: coin, value: 9n }] }),
      transferred(coin, [alice, bob], 4n),
      minted(coin, carol, 1n),
    )
      .shows(balances, [
        { holder: alice, value: 5n },
        { holder: bob, value: 4n },
        { holder: carol, value: 1n },
      ])
      .shows(tokenState, [{ totalSupply: 10n, holdersCount: 3 }]),
  )

  law('an observation from before it is skipped', () =>
    given(
      minted(coin, alice, 5n),
      deposited(coin, alice, 3n),
      observed(balance(coin, alice, [null, 5n]), { age: 1 }),
      observed({ supplies: [{ token: coin, value: 5n }] }, { age: 1 }),
    )
      .shows(balances, [])
      .shows(tokenState, [{ totalSupply: null }]),
  )

  law('what the contract says of its supply after the block holds for it', () =>
    given(
      describing(
        together(minted(coin, bob, 1n), deposited(coin, alice, 3n), minted(coin, bob, 1n)),
        { address: coin, totalSupply: 5n },
      ),
    ).shows(tokenState, [{ totalSupply: 5n }]),
  )

  law('alone makes no token', () =>
    given(deposited(coin, alice, 3n))
      .shows(tokenState, [])
      .shows(balances, []),
  )

  law('of a collection says nothing: its owners are known', () =>
    given(nftMinted(cats, alice, 1n), deposited(cats, alice, 3n))
      .shows(holders, [{ holder: alice, value: 1n }])
      .shows(tokenState, [{ totalSupply: 1n }]),
  )

  law('of the zero address says nothing', () =>
    given(minted(coin, alice, 5n), deposited(coin, zeroAddress, 3n)).shows(tokenState, [
      { totalSupply: 5n },
    ]),
  )

  law('goes with a gap as all that is known', () =>
    given(deposited(coin, alice, 9n), gap(1), transferred(coin, [alice, bob], 1n))
      .shows(balances, [])
      .shows(tokenState, [{ totalSupply: null, holdersCount: null }]),
  )
})

describe('a log of a wrapped coin', () => {
  const log = { index: 0, ...depositLog(coin, alice, 3n) }
  const [topic, account] = [depositTopic, addressWord(alice)]

  test('names whose balance changed', () => {
    expect(wrappingHolder(log)).toBe(alice)
    expect(wrappingHolder({ ...log, topics: [withdrawalTopic, account] })).toBe(alice)
  })

  test.each([
    ['another topic', { topics: [word(1), account] }],
    ['one topic', { topics: [topic] }],
    ['three topics', { topics: [topic, account, account] }],
    ['an unclean address', { topics: [topic, word(1n << 200n)] }],
    ['no amount', { data: hex('0x') }],
    ['half an amount', { data: hex(`0x${'00'.repeat(31)}`) }],
    ['the zero address', { topics: [topic, addressWord(zeroAddress)] }],
  ])('is none with %s', (_, spoilt) => {
    expect(wrappingHolder({ ...log, ...spoilt })).toBeNull()
  })

  test('may carry more than the amount', () => {
    expect(wrappingHolder({ ...log, data: words(3n, 4n) })).toBe(alice)
  })
})
