import { expect, test } from 'vitest'
import { allVersions, type StoredTable, tablesOfVersion } from './stored-versions.ts'

const table = (name: string): StoredTable => ({
  name,
  isView: name.startsWith('readable_'),
  bytes: 1,
})

const stored = [
  ...['readable_transactions', 'readable_transactions_ledger_12'],
  ...['address_labels', 'balances', 'balances_state_2', 'deployment', 'gone_state_2'],
  ...['holders_state_2', 'progress', 'transactions', 'transactions_ledger_12', 'unknown'],
].map(table)

const namesOf = (...of: readonly ['ledger' | 'state' | 'dimensions', number]) =>
  tablesOfVersion(stored, ...of).map(({ name }) => name)

test('a version has the tables and views that end with its name, known to this release or not', () => {
  expect(namesOf('state', 2)).toEqual(['balances_state_2', 'gone_state_2', 'holders_state_2'])
  expect(namesOf('ledger', 12)).toEqual([
    'readable_transactions_ledger_12',
    'transactions_ledger_12',
  ])
  expect(namesOf('ledger', 2)).toEqual([])
})

test('the first version has those with plain names', () => {
  expect(namesOf('ledger', 1)).toEqual(['readable_transactions', 'transactions'])
  expect(namesOf('state', 1)).toEqual(['balances'])
  expect(namesOf('dimensions', 1)).toEqual(['address_labels'])
})

test('all versions, newest of each group first', () => {
  expect(allVersions(stored).map(({ group, version }) => `${group} ${version}`)).toEqual([
    'ledger 12',
    'ledger 1',
    'state 2',
    'state 1',
    'dimensions 1',
  ])
})
