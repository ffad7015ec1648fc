import { describe, expect, it } from 'vitest'
import type { Authorization } from '../../chain/block.ts'
import { alice, bob, contract } from '../testing/facts.ts'
import { authorizationStatuses } from './authorizations.ts'

const chain = 10
const of = (words: Partial<Authorization>): Authorization => ({
  ...{ chainId: 10n, nonce: 6n, delegate: contract(1), authority: alice, signature: null },
  ...words,
})
const statuses = (...authorizations: Authorization[]) =>
  authorizationStatuses({ from: alice, nonce: 5, authorizations }, chain)

describe('the status of an authorization (contract 68)', () => {
  it.each([
    ['of the sender, with the nonce that it has by then', of({}), 'ok'],
    ['for all chains', of({ chainId: 0n }), 'ok'],
    ['of the sender, with the nonce of the transaction', of({ nonce: 5n }), 'invalid_nonce'],
    ['for another chain', of({ chainId: 1n }), 'invalid_chain_id'],
    [
      'for another chain, and badly signed',
      of({ chainId: 1n, authority: null }),
      'invalid_chain_id',
    ],
    ['that nobody signed', of({ authority: null }), 'invalid_signature'],
    ['with a nonce that no account reaches', of({ nonce: (1n << 64n) - 1n }), 'invalid_nonce'],
    ['of another account, whose nonce is not in the log', of({ authority: bob }), null],
  ])('%s', (_, authorization, status) => {
    expect(statuses(authorization)).toEqual([status])
  })

  it('each valid one of the sender raises its nonce for the next', () => {
    const list = [of({}), of({}), of({ nonce: 7n }), of({ authority: bob }), of({ nonce: 8n })]
    expect(statuses(...list)).toEqual(['ok', 'invalid_nonce', 'ok', null, 'ok'])
  })
})
