import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { storePage } from '../../../deploy/print/store-page.ts'
import { bodyForm, bodyName } from '../declare/body.ts'
import { isBody } from '../declare/table.ts'
import { allTables } from './all-tables.ts'

const page = readFileSync(new URL('../STORE.md', import.meta.url), 'utf8')

it('the page of all tables is the one that is printed: run npm run print', () => {
  expect(page).toBe(storePage(allTables))
})

it('tables of one set of shared columns begin an insert with all of them', () => {
  const sharing = allTables.filter(({ shared }) => shared !== undefined)
  expect(sharing.map(({ name }) => name).sort()).toEqual([
    'logs_by_address',
    'logs_by_transaction',
    'transactions',
    'transactions_by_address',
    'transactions_by_fee',
    'transactions_by_value',
    'transfers_by_token',
    'transfers_by_transaction',
  ])
  for (const { shared, packed, columnsInParts } of sharing) {
    const isPacked = (name: string) => name in { ...packed }
    const all = Object.keys({ ...shared }).map((name) => (isPacked(name) ? 'body' : name))
    const names = [...new Set(all)]
    expect(columnsInParts.slice(0, names.length)).toEqual(names)
  }
})

/** Columns of the bodies of each form, in their order. A change of them is a new form. */
const transfer = 'blockHash timestamp from to form tokenId? value batchSize method? recipient?'
const transaction =
  'blockHash timestamp parentTimestamp? type nonce from to? createdContract? value gasLimit ' +
  'gasUsed gasPrice maxFeePerGas? maxPriorityFeePerGas? baseFeePerGas? status? transfersCount ' +
  'hasInnerError? revertReason? error? authorizations actions'
const forms: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  1: {
    transfers_by_token: transfer,
    transfers_by_transaction: transfer,
    transactions_by_address: transaction,
    transactions_by_value: transaction,
    transactions_by_fee: transaction,
    transactions: transaction,
  },
}

it('bodies of one form have the same columns for ever: rows out there have them', () => {
  const bodies = allTables.flatMap(({ name, storedColumns }) => {
    const body = storedColumns[bodyName]
    if (body === undefined || !isBody(body)) return []
    const names = body.columns.map((one) => one.name + (one.ddl.startsWith('Nullable') ? '?' : ''))
    return [[name, names.join(' ')]]
  })
  expect(Object.fromEntries(bodies)).toEqual(forms[bodyForm])
})
