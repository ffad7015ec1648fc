import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hash } from '../../libs/chain/hex.ts'
import { position } from '../../libs/chain/position.ts'
import type { Store } from '../../libs/ports/store.ts'
import {
  type TransactionsOfAddress,
  transactionsOfAddress,
} from '../../libs/queries/transactions-of-address/transactions-of-address.ts'
import type { Row } from '../../libs/tables/declare/table.ts'
import {
  textsBytesMax,
  type transactions,
  transactionsByAddress,
  transactionsByFee,
  transactionsByValue,
  withoutLongTexts,
} from '../../libs/tables/tables/transactions.ts'
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

/** More than the tables by amount contain. */
const longTexts = {
  input: `0x${'5a'.repeat(textsBytesMax)}`,
  error: 'failed',
  actions: '[1]',
} as const

/** Few amounts, so that groups of one amount are longer than a page. */
const amounts = [0n, 0n, 0n, 1n, 10n ** 18n, 2n ** 256n - 1n] as const

function transactionAt(place: { blockNumber: number; index: number }, hash: Hash, isDead: boolean) {
  const value = random.oneOf(amounts)
  const fee = random.below(3) === 0 ? 21_000n : BigInt(random.below(50))
  const sides = random.oneOf([[0], [1], [0, 1]] as const)
  const history = historyOf(random, isDead)
  // The same on both sides: which row of a page is whole depends on them.
  const texts = random.below(4) === 0 ? longTexts : {}
  for (const side of sides) {
    const whole = { ...transactionRow(hash, value, fee), ...texts }
    const row = { address: subject, side, ...place, hash, ...whole }
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
  const short = all.map(withoutLongTexts)
  const fees = short.map((row) => ({ ...row, fee: row.gasPrice }))
  await insertShuffled(store, transactionsByValue, { rows: short, parts: 3, random })
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

test('pages whose texts are short read no other table', async () => {
  const short = new Set(all.filter(({ input }) => input === '0x').map(({ hash }) => hash))
  for (const [sort, limit] of [
    ['value', 1],
    ['fee', 1],
    ['value', 101],
  ] as const) {
    const asked: string[] = []
    const counting = {
      ...store,
      query: (...[sql, ...rest]: Parameters<Store['query']>) => {
        asked.push(/FROM (\w+)/.exec(sql)?.[1] ?? '')
        return store.query(sql, ...rest)
      },
    }
    const list = {
      address: subject,
      filter: null,
      sort,
      order: 'desc',
      after: null,
      limit,
    } as const
    const rows = await transactionsOfAddress(counting, list)
    const needsTexts = rows.some(({ hash }) => !short.has(hash))
    expect(asked.includes('transactions_by_address'), seed).toBe(needsTexts)
  }
})

test('rows whose texts are gone meanwhile leave no short page', async () => {
  const list = { sort: 'value', order: 'asc', filter: null } as const
  const lost = naive(list)
    .filter(({ input }) => input === longTexts.input)
    .slice(0, 40)
  expect(lost.length, seed).toBeGreaterThan(20)
  const tombstone = { position: position(1_000_000), isDeleted: 1 }
  const rows = lost.flatMap((row) => [0, 1].map((side) => ({ ...row, side, ...tombstone })))
  const gone = new Set(lost.map(({ hash }) => hash))
  const expected = naive(list)
    .filter(({ hash }) => !gone.has(hash))
    .slice(0, 51)
  await insertShuffled(store, transactionsByAddress, { rows, parts: 1, random })
  const asked = { address: subject, ...list, after: null, limit: 51 }
  const found = await transactionsOfAddress(store, asked)
  expect(
    found.map(({ hash }) => hash),
    seed,
  ).toEqual(expected.map(({ hash }) => hash))
})
