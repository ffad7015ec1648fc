import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hash } from '../../libs/chain/hex.ts'
import { position } from '../../libs/chain/position.ts'
import type { Store } from '../../libs/ports/store.ts'
import type { TransactionsOfAddress } from '../../libs/queries/transactions-of-address/page-of-sides.ts'
import { transactionsOfAddress } from '../../libs/queries/transactions-of-address/transactions-of-address.ts'
import {
  type ListedTransaction,
  textsBytesMax,
  transactions,
  transactionsByAddress,
  transactionsByValue,
  withoutLongTexts,
} from '../../libs/tables/tables/transactions.ts'
import { testStore } from '../support/engine.ts'
import { addressOf, hashOf, historyOf, insertShuffled, settled, walked } from './histories.ts'
import { random as seeded } from './random.ts'
import { transactionRow } from './rows.ts'
import { insertTransactions, type WholeTransaction } from './whole-transactions.ts'

const random = seeded()
const seed = `FOLDSCAN_TEST_SEED=${random.seed}`
const subject = addressOf(100)
const all: WholeTransaction[] = []
let store: Store
let drop: () => Promise<void>

/** More than a list contains. */
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
  const history = historyOf(random, isDead).map((version) => ({
    ...version,
    // One key for all that stood at a place with one amount: what stands there now came last.
    position: position(version.position + (isDead ? 0 : 10_000)),
  }))
  // The same on both sides: which row of a page is whole depends on them.
  const texts = random.below(4) === 0 ? longTexts : {}
  for (const side of sides) {
    const whole = { ...transactionRow(hash, value, fee), input: '0x' as const, ...texts }
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
  await insertTransactions(store, all, { parts: 3, random })
})
afterAll(() => drop())

const amountOf = {
  block_number: () => 0n,
  value: (row: WholeTransaction) => row.value,
  fee: (row: WholeTransaction) => row.gasPrice,
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
  const page = (last: ListedTransaction | null, limit: number) => {
    const after = last && { ...last, fee: last.gasPrice }
    return transactionsOfAddress(store, { address: subject, ...list, after, limit })
  }
  const places = (rows: readonly Pick<WholeTransaction, 'hash'>[]) => rows.map(({ hash }) => hash)
  expect(places(await walked(random, page)), seed).toEqual(places(naive(list)))
})

test.each(sorts)('rows by %s are whole', async (sort) => {
  const list = { sort, order: 'asc', filter: 'from' } as const
  const asked = { address: subject, ...list, after: null, limit: 101 }
  const expected = naive(list).slice(0, 101)
  expect(expected.map(({ input }) => input)).toContain(longTexts.input)
  const found = await transactionsOfAddress(store, asked)
  expect(found.map(withoutSide), seed).toEqual(expected.map(withoutSide))
})

/** Columns of the list alone: a row with long texts comes from another table. */
const withoutSide = (row: ListedTransaction) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !(name in sideOf)))
const sideOf = { address: null, side: null, blockHash: null }

test.each(sorts)('pages by %s whose texts are short read no long ones', async (sort) => {
  const short = new Set(all.filter(({ input }) => input === '0x').map(({ hash }) => hash))
  const cases = new Set<boolean>()
  for (const order of orders) {
    let last: ListedTransaction | undefined
    for (const limit of [101, ...Array(30).fill(1)]) {
      const asked: string[] = []
      const counting = {
        ...store,
        query: (...[sql, ...rest]: Parameters<Store['query']>) => {
          asked.push(/FROM (\w+)/.exec(sql)?.[1] ?? '')
          return store.query(sql, ...rest)
        },
      }
      const after = last === undefined ? null : { ...last, fee: last.gasPrice }
      const list = { address: subject, filter: null, sort, order, after, limit } as const
      const rows = await transactionsOfAddress(counting, list)
      const needsTexts = rows.some(({ hash }) => !short.has(hash))
      expect(asked.includes(transactions.stored), `${seed}: ${limit}, ${order}`).toBe(needsTexts)
      cases.add(needsTexts)
      last = limit === 1 ? rows[0] : undefined
    }
  }
  expect(cases, seed).toEqual(new Set([true, false]))
})

test.each(sorts)('rows by %s whose texts are gone meanwhile leave no short page', async (sort) => {
  const list = { sort, order: 'asc', filter: null } as const
  const lost = naive(list)
    .filter(({ input }) => input === longTexts.input)
    .slice(0, 40)
  expect(lost.length, seed).toBeGreaterThan(20)
  const opened = await testStore()
  try {
    const gone = new Set(lost.map(({ hash }) => hash))
    const left = all.filter(({ hash }) => !gone.has(hash))
    await insertTransactions(opened.store, all, { parts: 1, random, byHash: left })
    const expected = naive(list)
      .filter(({ hash }) => !gone.has(hash))
      .slice(0, 51)
    const asked = { address: subject, ...list, after: null, limit: 51 }
    const found = await transactionsOfAddress(opened.store, asked)
    expect(
      found.map(({ hash }) => hash),
      seed,
    ).toEqual(expected.map(({ hash }) => hash))
  } finally {
    await opened.drop()
  }
})

test('keys whose rows are gone meanwhile leave no short page', async () => {
  const list = { sort: 'value', order: 'asc', filter: null } as const
  const lost = naive(list)
    .filter(({ input }) => input === longTexts.input)
    .slice(0, 40)
  expect(lost.length, seed).toBeGreaterThan(20)
  const tombstone = { position: position(1_000_000), isDeleted: 1 }
  const rows = lost
    .map(withoutLongTexts)
    .flatMap((row) => [0, 1].map((side) => ({ ...row, side, ...tombstone })))
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

test('a key whose row is of another fork is not shown as that', async () => {
  const opened = await testStore()
  try {
    const at = (fork: number, number: number, place: number) => ({
      ...{ address: subject, side: 0, blockNumber: place, index: 0 },
      ...{ ...transactionRow(hashOf(fork), BigInt(number), 1n), input: '0x' as const },
      ...{ hash: hashOf(fork), position: position(number), isDeleted: 0 },
    })
    // The key of block 2 is there already, and not its row: one of the fork before stands there.
    const rows = [at(1, 10, 1), at(2, 20, 2)]
    const keys = [at(1, 10, 1), at(3, 30, 2)]
    const parts = { parts: 1, random }
    await insertShuffled(opened.store, transactionsByAddress, { rows, ...parts })
    await insertShuffled(opened.store, transactionsByValue, { rows: keys, ...parts })
    const list = { sort: 'value', order: 'desc', filter: 'from' } as const
    const asked = { address: subject, ...list, after: null, limit: 51 }
    const found = await transactionsOfAddress(opened.store, asked)
    expect(found.map(({ hash }) => hash)).toEqual([hashOf(1)])
  } finally {
    await opened.drop()
  }
})
