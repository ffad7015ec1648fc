import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Authorization } from '../../libs/chain/block.ts'
import { type Address, zeroAddress } from '../../libs/chain/hex.ts'
import { stateGroup } from '../../libs/projections/state/state-group.ts'
import { alice, blockOf, bob, carol, contract } from '../../libs/projections/testing/facts.ts'
import { InMemoryGroup } from '../../libs/projections/testing/law.ts'
import { logOf, testChain } from '../../libs/projections/testing/log-of.ts'
import { Delegations } from './delegations.ts'

const people = [alice, bob, carol]

/** `off`: by how much its nonce is wrong, so that each kind of mistake comes again and again. */
const said = fc.record({
  authority: fc.constantFrom(...people),
  off: fc.constantFrom(-2, -1, 0, 0, 0, 0, 1, 5),
  delegate: fc.constantFrom(zeroAddress, contract(1), contract(2)),
})
const sent = fc.record({
  from: fc.constantFrom(...people),
  said: fc.array(said, { maxLength: 4 }),
})
type Sent = typeof sent extends fc.Arbitrary<infer T> ? T : never

/** What the chain makes of these, whose accounts had nonces before the log began. */
function chainOf(all: readonly Sent[]) {
  const nonces = new Map<Address, number>(people.map((one, n) => [one, n * 3]))
  const delegating = new Set<Address>()
  const nonceOf = (one: Address) => nonces.get(one) ?? 0
  const transactions = all.map(({ from, said }) => {
    const nonce = nonceOf(from)
    nonces.set(from, nonce + 1)
    const authorizations = said.map(({ authority, off, delegate }): Authorization => {
      const own = nonceOf(authority)
      if (off === 0) {
        nonces.set(authority, own + 1)
        if (delegate === zeroAddress) delegating.delete(authority)
        else delegating.add(authority)
      }
      const nonce = BigInt(Math.max(0, own + off))
      return { chainId: 0n, authority, delegate, nonce, signature: null }
    })
    return { type: 4, from, nonce, logs: [], authorizations }
  })
  return { transactions, delegating: [...delegating].sort() }
}

function foldOf(transactions: ReturnType<typeof chainOf>['transactions']) {
  const messages = logOf(transactions.map((one) => blockOf(one)))
  const runner = new InMemoryGroup(stateGroup)
  runner.fold(messages)
  const delegating = runner.tables
    .rowsOf('address_state')
    .filter((row) => Reflect.get(row, 'delegate') !== null)
    .map((row) => Reflect.get(row, 'address'))
  return { messages, delegating: delegating.sort() }
}

test('the fold and the oracle assume the same', () => {
  fc.assert(
    fc.property(fc.array(sent, { maxLength: 12 }), (all) => {
      const { messages, delegating } = foldOf(chainOf(all).transactions)
      const oracle = new Delegations()
      for (const message of messages) {
        if (message.kind !== 'block.applied') continue
        for (const transaction of message.block.transactions) oracle.sent(transaction, testChain)
      }
      expect(oracle.delegating().sort()).toEqual(delegating)
    }),
    { numRuns: 500 },
  )
})

test('authorizations of senders are judged as the chain judges them', () => {
  const ofOwn = sent.map(({ from, said }) => ({
    from,
    said: said.map((one) => ({ ...one, authority: from })),
  }))
  fc.assert(
    fc.property(fc.array(ofOwn, { maxLength: 12 }), (all) => {
      const { transactions, delegating } = chainOf(all)
      expect(foldOf(transactions).delegating).toEqual(delegating)
    }),
    { numRuns: 500 },
  )
})

test('those that the chain accepts are accepted from any sender', () => {
  const right = sent.map(({ from, said }) => ({
    from,
    said: said.map((one) => ({ ...one, off: 0 as const })),
  }))
  fc.assert(
    fc.property(fc.array(right, { maxLength: 12 }), (all) => {
      const { transactions, delegating } = chainOf(all)
      expect(foldOf(transactions).delegating).toEqual(delegating)
    }),
    { numRuns: 500 },
  )
})
