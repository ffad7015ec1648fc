import { expect, test } from 'vitest'
import { type Hash, hash, zeroAddress } from '../chain/hex.ts'
import type { Deed } from './deed.ts'
import { summaryObject } from './summary.ts'
import { summaryRequest } from './summary-request.ts'
import { knowing } from './testing/known.ts'
import { aLog, anAddress, aToken, aTransaction, aTransfer, indexOf } from './testing/rows.ts'

const known = knowing({ tokens: [aToken()] })
const word = (value: bigint): Hash => hash(`0x${value.toString(16).padStart(64, '0')}`)
const approval = hash('0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925')
const forAll = hash('0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31')

const deed = (says: Partial<Deed>): Deed => ({
  transaction: aTransaction({ input: '0xa9059cbb' }),
  transfers: [],
  logs: [],
  ...says,
})

/** The first summary with its placeholders filled in. */
function sentence(says: Partial<Deed>): string {
  const summary = summaryObject(deed(says), known)
  const [first] = summary?.data.summaries ?? []
  if (first === undefined) return ''
  const filled = first.summary_template.replaceAll(/\{(\w+)\}/g, (placeholder, name) => {
    const variable = first.summary_template_variables[name]
    if (variable === undefined) return placeholder
    if (variable.type === 'token') return variable.value.symbol ?? '?'
    return variable.type === 'address' ? variable.value.hash.slice(-2) : variable.value
  })
  return filled
}

test('says nothing of a transaction that did not succeed', () => {
  expect(summaryObject(deed({ transaction: aTransaction({ status: 0 }) }), known)).toBeNull()
  expect(summaryObject(deed({ transaction: aTransaction({ status: null }) }), known)).toBeNull()
})

test.each([
  ['Transferred 1.5 AU to A2', { transfers: [aTransfer()] }],
  ['Minted 1.5 AU to A2', { transfers: [aTransfer({ from: zeroAddress })] }],
  ['Burned 1.5 AU', { transfers: [aTransfer({ to: zeroAddress })] }],
  [
    'Transferred ? #7 to A2',
    { transfers: [aTransfer({ token: anAddress(0x71), form: indexOf('ERC-721'), tokenId: 7n })] },
  ],
  [
    'Approved e1 to spend 0.00002 AU',
    { logs: [aLog({ topics: [approval, word(1n), word(0xe1n)], data: word(20n) })] },
  ],
  [
    'Approved e1 to spend unlimited AU',
    { logs: [aLog({ topics: [approval, word(1n), word(0xe1n)], data: word(2n ** 256n - 1n) })] },
  ],
  [
    'Revoked approval of e1 for AU',
    { logs: [aLog({ topics: [approval, word(1n), word(0xe1n)], data: word(0n) })] },
  ],
  ['Approved e1 for AU', { logs: [aLog({ topics: [approval, word(1n), word(0xe1n), word(0n)] })] }],
  [
    'Approved e1 for AU',
    { logs: [aLog({ topics: [forAll, word(1n), word(0xe1n)], data: word(1n) })] },
  ],
  [
    'Revoked approval of e1 for AU',
    { logs: [aLog({ topics: [forAll, word(1n), word(0xe1n)], data: word(0n) })] },
  ],
  ['Called transfer on A2', {}],
  ['Transferred 0.5 {native} to A2', { transaction: aTransaction({ value: 5n * 10n ** 17n }) }],
  [
    'Created contract C0',
    { transaction: aTransaction({ to: null, createdContract: anAddress(0xc0) }) },
  ],
  [
    'Created token 70',
    { transaction: aTransaction({ to: null, createdContract: anAddress(0x70) }) },
  ],
])('says: %s', (expected, says) => {
  expect(sentence(says).toLowerCase()).toBe(expected.toLowerCase())
})

test('speaks of the transfers of the sender where there are any', () => {
  const other = aTransfer({ from: anAddress(1), to: anAddress(2), value: 1n })
  expect(sentence({ transfers: [other, aTransfer()] })).toBe('Transferred 1.5 AU to A2')
  expect(sentence({ transfers: [other] })).toBe('Transferred 0.000001 AU to 02')
})

test('has a variable for each placeholder but the coin', () => {
  const summary = summaryObject(deed({ transfers: [aTransfer()] }), known)
  for (const { summary_template, summary_template_variables } of summary?.data.summaries ?? []) {
    const names = [...summary_template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(Object.keys(summary_template_variables).sort()).toEqual(names.sort())
  }
  expect(summary?.success).toBe(true)
})

test('tells what an interpreter would be asked, of a failed transaction too', () => {
  const transaction = aTransaction({ status: 0, value: 7n })
  const request = summaryRequest(deed({ transaction, transfers: [aTransfer()] }), 31_337, known)
  expect(request).toMatchObject({
    data: {
      type: 2,
      value: '7',
      status: 'error',
      to: { is_contract: false },
      token_transfers: [{ log_index: 5 }],
      internal_transactions: [],
    },
    logs_data: { items: [] },
    chain_id: 31_337,
  })
})
