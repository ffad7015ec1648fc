import { describe } from 'vitest'
import { eventTopic } from '../chain/abi-words.ts'
import { zeroAddress } from '../chain/hex.ts'
import { balances } from '../tables/balances.ts'
import { instances, nftsByOwner } from '../tables/instances.ts'
import { tokenState } from '../tables/tokens.ts'
import {
  alice,
  bob,
  carol,
  contract,
  emitted,
  gap,
  minted,
  nftMinted,
  nftMoved,
  observed,
  transferred,
  word,
  words,
} from './testing/facts.ts'
import { given, givenFromTheMiddle, law } from './testing/law.ts'

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
