import pLimit from 'p-limit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { standards } from '../../libs/chain/token.ts'
import type { Store } from '../../libs/ports/store.ts'
import { holdersOfToken } from '../../libs/queries/holders-of-token/holders-of-token.ts'
import { logsOfAddress } from '../../libs/queries/logs-of-address/logs-of-address.ts'
import { logsOfTransaction } from '../../libs/queries/logs-of-transaction.ts'
import { nftsOfAddress } from '../../libs/queries/nfts-of-address/nfts-of-address.ts'
import type { Question } from '../../libs/queries/reading/question.ts'
import { allBalancesOfAddress } from '../../libs/queries/tokens-of-address/all-balances-of-address.ts'
import { transactionsOfAddress } from '../../libs/queries/transactions-of-address/transactions-of-address.ts'
import { transfersOfToken } from '../../libs/queries/transfers-of-token.ts'
import { transfersOfTransaction } from '../../libs/queries/transfers-of-transaction/transfers-of-transaction.ts'
import { bandOf } from '../../libs/tables/declare/band.ts'
import type { Row } from '../../libs/tables/declare/table.ts'
import { balances } from '../../libs/tables/tables/balances.ts'
import { holders } from '../../libs/tables/tables/holders.ts'
import { nftsByOwner } from '../../libs/tables/tables/instances.ts'
import { logsByAddress, logsByTransaction } from '../../libs/tables/tables/logs.ts'
import { textsBytesMax, transactions } from '../../libs/tables/tables/transactions.ts'
import { transfersByToken, transfersByTransaction } from '../../libs/tables/tables/transfers.ts'
import { runOnStore } from '../../services/api/rows/run-question.ts'
import { testStore } from '../support/engine.ts'
import { addressOf, hashOf, historyOf, insertShuffled, settled } from './histories.ts'
import { random as seeded } from './random.ts'
import { logRow, transactionRow, transferRow } from './rows.ts'
import { insertTransactions, type WholeTransaction } from './whole-transactions.ts'

const random = seeded()
const seed = `FOLDSCAN_TEST_SEED=${random.seed}`
const limit = 51
const longInput = `0x${'5a'.repeat(textsBytesMax + 1)}` as const
/** Rows of each subject: none, few, about a page, about what a shared query reads of each. */
const sizes = [0, 1, 7, 50, 51, 52, 66, 67, 68, 120, 132, 134, 136, 1_100]
const subjectsOfSize = 8
const subjects = sizes.flatMap((size, at) =>
  Array.from({ length: subjectsOfSize }, (_, of) => ({ size, number: 1_000 * (at + 1) + of })),
)
const derived = { observedAt: 0 }
const holds: Row<typeof balances>[] = []
let store: Store
let drop: () => Promise<void>

beforeAll(async () => {
  const opened = await testStore()
  store = opened.store
  drop = opened.drop
  const listed: WholeTransaction[] = []
  const byToken: Row<typeof transfersByToken>[] = []
  const byTransaction: Row<typeof transfersByTransaction>[] = []
  const held: Row<typeof holders>[] = []
  const logs: Row<typeof logsByAddress>[] = []
  const owned: Row<typeof nftsByOwner>[] = []
  for (const { size, number } of subjects) {
    for (let at = 0; at < size; at++) {
      const value = BigInt(random.below(1_000))
      const isLong = number % 8 === 0 && at % 50 === 0
      for (const version of historyOf(random, !isLong && random.below(6) === 0)) {
        const address = addressOf(number)
        const place = { blockNumber: at, index: number % 100 }
        const hash = hashOf(at * 100_000 + number)
        const side = at % 2
        const input = isLong ? longInput : '0x'
        const details = { ...transactionRow(hash, value, value), input } as const
        // To itself, it is on both sides.
        const sides = at % 9 === 0 ? [0, 1] : [side]
        for (const one of sides) {
          listed.push({ address, side: one, ...place, hash, ...details, ...version })
        }
        const transfer = { logIndex: at, batchIndex: 0, blockNumber: at, ...transferRow(value) }
        byToken.push({ ...transfer, token: address, transactionHash: hash, ...version })
        const transactionHash = hashOf(number)
        byTransaction.push({ ...transfer, token: address, transactionHash, ...version })
        const balance = { holder: addressOf(at), part: 0, tokenId: 0n, value, band: bandOf(value) }
        held.push({ ...balance, token: address, ...derived, ...version })
        const log = { ...logRow, blockNumber: at, logIndex: at, transactionHash }
        const data = isLong ? longInput : '0x'
        logs.push({ ...log, address, data, ...version })
        const nft = { owner: address, token: addressOf(at), tokenId: BigInt(number), value: 1n }
        owned.push({ ...nft, standard: 1 + (at % 3), ...derived, ...version })
        const key = { holder: address, token: addressOf(at), part: at % 2, tokenId: BigInt(number) }
        holds.push({ ...key, value, standard: at % 4, ordinal: at, ...derived, ...version })
      }
    }
  }
  const options = { parts: 3, random }
  await insertTransactions(store, listed, options)
  await insertShuffled(store, transfersByToken, { rows: byToken, ...options })
  await insertShuffled(store, transfersByTransaction, { rows: byTransaction, ...options })
  await insertShuffled(store, holders, { rows: held, ...options })
  await insertShuffled(store, logsByAddress, { rows: logs, ...options })
  await insertShuffled(store, logsByTransaction, { rows: logs, ...options })
  await insertShuffled(store, nftsByOwner, { rows: owned, ...options })
  await insertShuffled(store, balances, { rows: holds, ...options })
})
afterAll(() => drop())

/** No list shows it, and a transaction to oneself has both. */
const withoutSide = (row: object) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'side'))

const atOnce = pLimit(4)

/** First pages of all subjects at once, beside the same pages one by one, each alone. */
async function expectEqualAlone<O, R extends object>(
  question: Question<O, readonly R[]>,
  optionsOf: (number: number) => O,
) {
  let sharedQueries = 0
  const counting: Store = {
    ...store,
    query(sql, ...sent) {
      if (/^LIMIT .* BY /m.test(sql)) sharedQueries += 1
      return store.query(sql, ...sent)
    },
  }
  const run = runOnStore(counting)
  const shared = await Promise.all(
    subjects.map(({ number }) => run(question, optionsOf(number), { isBehind: false })),
  )
  expect(sharedQueries).toBeGreaterThan(0)
  expect(sharedQueries).toBeLessThan(subjects.length / 4)
  const each = await Promise.all(
    subjects.map(({ number }) => atOnce(() => question(store, optionsOf(number)))),
  )
  for (const [at, { number, size }] of subjects.entries()) {
    const alone = each[at] ?? []
    const page = `${seed}: subject ${number} with ${size} rows`
    expect(shared[at]?.map(withoutSide), page).toEqual(alone.map(withoutSide))
  }
}

const newestFirst = { sort: 'block_number', order: 'desc' } as const

test('transactions of addresses', () =>
  expectEqualAlone(transactionsOfAddress, (number) => ({
    ...{ address: addressOf(number), filter: null, after: null, limit },
    ...newestFirst,
  })))

const listsByAmount = (['value', 'fee'] as const).flatMap((sort) =>
  (['desc', 'asc'] as const).flatMap((order) =>
    ([null, 'from', 'to'] as const).map((filter) => ({ sort, order, filter })),
  ),
)

test.each(listsByAmount)('transactions of addresses by $sort, $order, side $filter', (list) =>
  expectEqualAlone(transactionsOfAddress, (number) => ({
    ...{ address: addressOf(number), after: null, limit },
    ...list,
  })),
)

test('few long texts are read for all lists at once', async () => {
  const asked: string[] = []
  const counting: Store = {
    ...store,
    query(sql, ...sent) {
      asked.push(/LIMIT .* BY /.test(sql) ? 'shared' : (/FROM (\w+)/.exec(sql)?.[1] ?? ''))
      return store.query(sql, ...sent)
    },
  }
  const run = runOnStore(counting)
  const few = subjects.filter(({ size, number }) => number % 8 === 0 && size > 0 && size <= 7)
  const pages = await Promise.all(
    few.map(({ number }) => {
      const page = { address: addressOf(number), filter: null, after: null, limit, ...newestFirst }
      return run(transactionsOfAddress, page, { isBehind: false })
    }),
  )
  const inputs = pages.flat().map(({ input }) => input)
  expect(few.length).toBeGreaterThan(1)
  expect(inputs.filter((input) => input === longInput).length, seed).toBe(few.length)
  expect(new Set(asked), seed).toEqual(new Set(['shared', transactions.stored]))
})

test('transfers of tokens', () =>
  expectEqualAlone(transfersOfToken, (number) => ({
    token: addressOf(number),
    after: null,
    limit,
  })))

test('transfers of transactions', () =>
  expectEqualAlone(transfersOfTransaction, (number) => ({
    ...{ hash: hashOf(number), filter: null, after: null, limit },
  })))

const place = { value: 500n, holder: addressOf(30), tokenId: null }
test.each([null, place])('holders of tokens after %o', (after) =>
  expectEqualAlone(holdersOfToken, (number) => ({ token: addressOf(number), after, limit })),
)

test('logs of addresses', () =>
  expectEqualAlone(logsOfAddress, (number) => ({
    ...{ address: addressOf(number), topic: null, after: null, limit },
  })))

test.each([11, 200])('%d logs of transactions', (limit) =>
  expectEqualAlone(logsOfTransaction, (number) => ({ hash: hashOf(number), limit })),
)

test('NFTs of owners', () =>
  expectEqualAlone(nftsOfAddress, (number) => ({
    ...{ owner: addressOf(number), standards, after: null, limit },
  })))

test.each([1, 10, 216])('%d transfers of transactions', (limit) =>
  expectEqualAlone(transfersOfTransaction, (number) => ({
    ...{ hash: hashOf(number), filter: null, after: null, limit },
  })),
)

test('all balances of holders, unless they are too many', async () => {
  const run = runOnStore(store)
  const found = await Promise.all(
    subjects.map(({ number }) =>
      run(allBalancesOfAddress, { holder: addressOf(number) }, { isBehind: false }),
    ),
  )
  for (const [at, { number, size }] of subjects.entries()) {
    const holder = addressOf(number)
    const alone = await allBalancesOfAddress(store, { holder })
    const naive = settled(
      balances,
      holds.filter((row) => row.holder === holder),
    )
    const expected = size > 1_024 ? null : naive.map(balances.keyOf).sort()
    const said = `${seed}: subject ${number} with ${size} rows`
    expect(found[at]?.map(balances.keyOf).sort() ?? null, said).toEqual(expected)
    expect(alone?.map(balances.keyOf).sort() ?? null, said).toEqual(expected)
    if (expected !== null) expect(new Set(found[at]), said).toEqual(new Set(naive))
  }
})
