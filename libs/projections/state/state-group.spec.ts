import { expect, test } from 'vitest'
import { alice, blockOf, contract, describing, minted, transferred } from '../testing/facts.ts'
import { foldedAtOnce } from '../testing/folded-at-once.ts'
import { logOf } from '../testing/log-of.ts'
import { MemoryState } from '../testing/memory-state.ts'
import { stateGroup } from './state-group.ts'

test('what changes nothing is no change', () => {
  const state = new MemoryState()
  const coin = contract(1)
  const first = describing(minted(coin, alice, 5n), { address: coin, decimals: 18 })
  const facts = [first, transferred(coin, [alice, alice], 5n), blockOf()]
  const changed = logOf(facts).map((message) => {
    if (message.kind === 'block.reverted') throw new Error('not given')
    const changes = foldedAtOnce(stateGroup.change(state, message))
    state.write(changes)
    return changes.map(({ entity }) => entity.name)
  })
  expect(changed).toEqual([['chain', 'account', 'token', 'pair'], [], []])
})
