import { describe } from 'vitest'
import { eventTopic } from '../../chain/abi-words.ts'
import { zeroAddress } from '../../chain/hex.ts'
import { balances } from '../../tables/tables/balances.ts'
import { holders } from '../../tables/tables/holders.ts'
import { instances, nftsByOwner } from '../../tables/tables/instances.ts'
import { tokenState } from '../../tables/tables/tokens.ts'
import {
  alice,
  balance,
  blockOf,
  bob,
  carol,
  contract,
  describing,
  emitted,
  gap,
  minted,
  nftMinted,
  nftMoved,
  observed,
  person,
  together,
  transferred,
  word,
  words,
} from '../testing/facts.ts'
import { given, givenFromTheMiddle, law } from '../testing/law.ts'
import { confirmedMin } from './doubt.ts'

const coin = contract(1)
const cats = contract(3)

describe('an id that its known owner does not send (decision 64)', () => {
  const [one, two] = [nftMinted(cats, alice, 1n), nftMinted(cats, bob, 2n)]

  law('is a proof: no id is shown as owned', () =>
    given(one, two, nftMinted(cats, bob, 3n), nftMoved(cats, [bob, carol], 1n))
      .shows(nftsByOwner, [])
      .shows(instances, [])
      .shows(balances, [])
      .shows(tokenState, [{ shownSince: 4, totalSupply: null, holdersCount: null }]),
  )

  law('so is one that was never minted, and one that is minted twice', () => {
    const never = nftMoved(cats, [bob, carol], 9n)
    for (const wrong of [never, nftMinted(cats, carol, 1n)]) {
      given(one, two, wrong)
        .shows(nftsByOwner, [])
        .shows(tokenState, [{ shownSince: 3 }])
    }
  })

  law('but not where its owner is not known, nor where it was burned', () => {
    givenFromTheMiddle(nftMoved(cats, [alice, bob], 1n)).shows(tokenState, [{ shownSince: 0 }])
    const burned = nftMoved(cats, [alice, zeroAddress], 1n)
    given(one, burned, one).shows(tokenState, [{ shownSince: 0, totalSupply: 1n }])
    const gone = gap(1)
    given(one, gone, nftMoved(cats, [carol, bob], 1n)).shows(nftsByOwner, [{ owner: bob }])
  })

  law('nor where it was observed in the first block of the log, or later', () => {
    const owners = [{ token: cats, tokenId: 1n, owner: bob }]
    const [first, later] = [nftMoved(cats, [alice, bob], 1n), nftMoved(cats, [bob, carol], 1n)]
    givenFromTheMiddle(observed({ owners }, { age: -1 }), first, later).shows(nftsByOwner, [
      { owner: carol },
    ])
    givenFromTheMiddle(observed({ owners }), first).shows(nftsByOwner, [])
  })

  law('in one block goes from hand to hand', () => {
    const hops = [one, nftMoved(cats, [alice, bob], 1n), nftMoved(cats, [bob, carol], 1n)]
    given(together(...hops)).shows(nftsByOwner, [{ owner: carol }])
    given(together(...hops.reverse())).shows(nftsByOwner, [])
  })

  law('in a burn and a mint of one block is what it was', () => {
    const back = together(nftMoved(cats, [alice, zeroAddress], 1n), nftMinted(cats, carol, 1n))
    given(one, back).shows(nftsByOwner, [{ owner: carol }])
  })

  law('says nothing of ERC-404, nor of ids in another form than that of their token', () => {
    for (const standard of ['ERC-404', 'ERC-20'] as const) {
      const wrong = nftMoved(cats, [bob, carol], 1n)
      given(describing(one, { address: cats, standard }), two, wrong).shows(tokenState, [
        { shownSince: 0 },
      ])
    }
  })

  law('counts where it came before the contract said what it is, and not for another', () => {
    const wrong = nftMoved(cats, [bob, carol], 1n)
    const says = (standard: 'ERC-721' | 'ERC-404') =>
      describing(blockOf(), { address: cats, standard })
    given(one, two, wrong, says('ERC-721')).shows(tokenState, [{ shownSince: 3 }])
    given(one, two, wrong, says('ERC-404')).shows(tokenState, [{ shownSince: 0 }])
    const amount = (ends: readonly [typeof alice, typeof alice]) => transferred(cats, ends, 1n)
    const asAmounts = [amount([zeroAddress, alice]), amount([zeroAddress, bob])]
    given(...asAmounts, says('ERC-721')).shows(tokenState, [{ shownSince: 2 }])
  })

  law('ends with eight others whose counts are as transfers say: both it met stay unknown', () => {
    const people = Array.from({ length: confirmedMin }, (_, n) => person(n + 100))
    const counts = people.flatMap((who) => balance(cats, who, [null, 1n]).balances)
    given(
      one,
      two,
      ...people.map((who, n) => nftMinted(cats, who, BigInt(n + 10))),
      nftMoved(cats, [bob, carol], 1n),
      observed({ balances: counts }),
    )
      .shows(tokenState, [{ shownSince: 0, holdersCount: null, totalSupply: null }])
      .shows(
        holders,
        [...people, carol]
          .sort()
          .reverse()
          .map((holder) => ({ holder, value: 1n })),
      )
  })

  law('is shown again once it is observed', () =>
    given(
      one,
      two,
      nftMoved(cats, [bob, carol], 1n),
      observed({ owners: [{ token: cats, tokenId: 1n, owner: carol }] }),
    )
      .shows(nftsByOwner, [{ owner: carol, tokenId: 1n }])
      .shows(instances, [{ tokenId: 1n, owner: carol }]),
  )
})

describe('a rebase that a token logs (decision 64)', () => {
  law('is a proof: all of its balances have changed', () => {
    const topics = [eventTopic('LogRebase(uint256,uint256)'), word(1)]
    const log = { address: coin, topics, data: words(18n) }
    given(minted(coin, alice, 9n), emitted(log), transferred(coin, [alice, bob], 1n))
      .shows(balances, [])
      .shows(tokenState, [{ holdersCount: null, totalSupply: null }])
  })
})
