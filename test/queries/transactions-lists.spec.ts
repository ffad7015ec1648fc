import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hash } from '../../libs/chain/hex.ts'
import { position } from '../../libs/chain/position.ts'
import type { Store } from '../../libs/ports/store.ts'
import {
  type TransactionsOfAddress,
  transactionsOfAddress,
} from '../../libs/queries/transactions-of-address/transactions-of-address.ts'
import type { Row } from '../../libs/tables/table.ts'
import {
  type transactions,
  transactionsByAddress,
  transactionsByFee,
  transactionsByValue,
} from '../../libs/tables/transactions.ts'
import { testStore } from '../support/engine.ts'
import { addressOf, hashOf, historyOf, insertShuffled, settled, walked } from './histories.ts'
import { random as seeded } from './random.ts'
import { transactionRow } from './rows.ts'

type Transaction = Row<typeof transactionsByAddress>

const random = seeded()
const seed = `FOLDSCAN_TEST_SEED=${random.seed}`
const subject = addressOf(100)
const all: Transaction[] = []
let store: Store
let drop: () => Promise<void>

/** Few amounts, so that groups of one amount are longer than a page. */
const amounts = [0n, 0n, 0n, 1n, 10n ** 18n, 2n ** 256n - 1n] as const

function transactionAt(place: { blockNumber: number; index: number }, hash: Hash, isDead: boolean) {
  const value = random.oneOf(amounts)
  const fee = random.below(3) === 0 ? 21_000n : BigInt(random.below(50))
  const sides = random.oneOf([[0], [1], [0, 1]] as const)
  const history = historyOf(random, isDead)
  for (const side of sides) {
    const row = { address: subject, side, ...place, hash, ...transactionRow(hash, value, fee) }
    for (const version of history) all.push({ ...row, ...version })
  }
}

beforeAll(async () => {
  const opened = await testStore()
  store = opened.store
  drop = opened.drop
  let number = 0
  for (let blockNumber = 0; blockNumber < 60; blockNumber++) {
    for (let index = 0; index < 8; index++) {
      const place = { blockNumber, index }
      transactionAt(place, hashOf(++number), random.below(5) === 0)
      // What stood there before a reorganisation.
      if (random.below(3) === 0) transactionAt(place, hashOf(++number), true)
    }
  }
  await insertShuffled(store, transactionsByAddress, { rows: all, parts: 3, random })
  const fees = all.map((row) => ({ ...row, fee: row.gasPrice }))
  await insertShuffled(store, transactionsByValue, { rows: all, parts: 3, random })
  await insertShuffled(store, transactionsByFee, { rows: fees, parts: 3, random })
})
afterAll(() => drop())

const amountOf = {
  block_number: () => 0n,
  value: (row: Transaction) => row.value,
  fee: (row: Transaction) => row.gasPrice,
}
const sign = (amount: bigint) => Number(amount > 0n) - Number(amount < 0n)

function naive({ filter, sort, order }: Pick<TransactionsOfAddress, 'filter' | 'sort' | 'order'>) {
  const seen = new Set<Hash>()
  const rows = settled(transactionsByAddress, all)
    .filter(({ side }) => filter === null || (filter === 'from') === (side === 0))
    .filter(({ hash }) => !seen.has(hash) && seen.add(hash))
    .sort((a, b) => b.blockNumber - a.blockNumber || b.index - a.index)
  if (sort === 'block_number') return order === 'desc' ? rows : rows.reverse()
  const turn = order === 'desc' ? -1 : 1
  const amount = amountOf[sort]
  return rows.sort((a, b) => turn * sign(amount(a) - amount(b)))
}

const sorts = ['block_number', 'value', 'fee'] as const
const orders = ['desc', 'asc'] as const
const filters = [null, 'from', 'to'] as const
const cases = sorts.flatMap((sort) =>
  orders.flatMap((order) => filters.map((filter) => ({ sort, order, filter }))),
)

test.each(cases)('$sort $order, side $filter, equals the naive list', async (list) => {
  const page = (last: Row<typeof transactions> | null, limit: number) => {
    const after = last && { ...last, fee: last.gasPrice }
    return transactionsOfAddress(store, { address: subject, ...list, after, limit })
  }
  const places = (rows: readonly Pick<Transaction, 'hash'>[]) => rows.map(({ hash }) => hash)
  expect(places(await walked(random, page)), seed).toEqual(places(naive(list)))
})

test('rows found by amount are the whole rows of the list', async () => {
  const list = { sort: 'value', order: 'asc', filter: 'from' } as const
  const asked = { address: subject, ...list, after: null, limit: 101 }
  expect(await transactionsOfAddress(store, asked), seed).toEqual(naive(list).slice(0, 101))
})

test('a place that the whole rows have lost meanwhile leaves no short page', async () => {
  const lost = naive({ sort: 'value', order: 'asc', filter: null }).slice(0, 40)
  const tombstone = { position: position(1_000_000), isDeleted: 1 }
  const rows = lost.flatMap((row) => [0, 1].map((side) => ({ ...row, side, ...tombstone })))
  const list = { sort: 'value', order: 'asc', filter: null } as const
  const expected = naive(list).slice(40, 40 + 51)
  await insertShuffled(store, transactionsByAddress, { rows, parts: 1, random })
  const asked = { address: subject, ...list, after: null, limit: 51 }
  const found = await transactionsOfAddress(store, asked)
  expect(
    found.map(({ hash }) => hash),
    seed,
  ).toEqual(expected.map(({ hash }) => hash))
})
