import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { storePage } from '../../../deploy/print/store-page.ts'
import { anAddress, aTransaction } from '../../presenters/testing/rows.ts'
import { RowBatch } from '../declare/row-batch.ts'
import { put } from '../declare/table.ts'
import { allTables } from './all-tables.ts'
import {
  transactions,
  transactionsByAddress,
  transactionsByFee,
  transactionsByValue,
} from './transactions.ts'

const page = readFileSync(new URL('../STORE.md', import.meta.url), 'utf8')

it('the page of all tables is the one that is printed: run npm run print', () => {
  expect(page).toBe(storePage(allTables))
})

it('tables of one set of shared columns begin an insert with all of them', () => {
  const sharing = allTables.filter(({ shared }) => shared !== undefined)
  expect(sharing.map(({ name }) => name).sort()).toEqual([
    'logs_by_address',
    'logs_by_transaction',
    'transactions_by_address',
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

it('a list whose long texts are in the table by hash is written after it, with its keys', async () => {
  const told: string[] = []
  const batch = new RowBatch()
  const row = { ...aTransaction(), address: anAddress(0xa1), side: 0, fee: 1n }
  const lists = [transactionsByAddress, transactionsByValue, transactionsByFee]
  batch.add([
    put(transactionsByFee, row),
    put(transactionsByValue, row),
    put(transactionsByAddress, row),
    put(transactions, row),
  ])
  await batch.insertAll({ insert: async (table) => void told.push(table) })
  expect(told[0]).toBe(transactions.stored)
  expect(told.slice(1).sort()).toEqual(lists.map(({ stored }) => stored).sort())
})
