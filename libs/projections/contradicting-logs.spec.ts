import { describe } from 'vitest'
import { eventTopic } from '../chain/abi-words.ts'
import { balances } from '../tables/balances.ts'
import { tokenState } from '../tables/tokens.ts'
import { alice, bob, contract, emitted, minted, transferred, word, words } from './testing/facts.ts'
import { given, law } from './testing/law.ts'

const coin = contract(1)

describe('a rebase that a token logs (decision 64)', () => {
  law('is a proof: all of its balances have changed', () => {
    const topics = [eventTopic('LogRebase(uint256,uint256)'), word(1)]
    const log = { address: coin, topics, data: words(18n) }
    given(minted(coin, alice, 9n), emitted(log), transferred(coin, [alice, bob], 1n))
      .shows(balances, [])
      .shows(tokenState, [{ holdersCount: null, totalSupply: null }])
  })
})
