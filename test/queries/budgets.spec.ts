import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { address, hash, withoutPrefix } from '../../libs/chain/hex.ts'
import { position as toPosition } from '../../libs/chain/position.ts'
import { standards } from '../../libs/chain/token.ts'
import type { QueryCost, Store } from '../../libs/ports/store.ts'
import { holdersOfToken } from '../../libs/queries/holders-of-token/holders-of-token.ts'
import { instancesByKey } from '../../libs/queries/instances/instances.ts'
import { logsOfAddress } from '../../libs/queries/logs-of-address/logs-of-address.ts'
import { logsOfTransaction } from '../../libs/queries/logs-of-transaction.ts'
import { nftsOfAddress } from '../../libs/queries/nfts-of-address/nfts-of-address.ts'
import { ratedBalancesOfAddress } from '../../libs/queries/rated-balances/rated-balances.ts'
import { formsOf, type Query } from '../../libs/queries/reading/query.ts'
import {
  addressStates,
  tokenStates,
  transactionsByHash,
} from '../../libs/queries/rows-by-key/rows-by-key.ts'
import { declaredQueries } from '../../libs/queries/testing/declared-queries.ts'
import { ratesOfHour } from '../../libs/queries/token-rates.ts'
import { balancesOfAddress } from '../../libs/queries/tokens-of-address/tokens-of-address.ts'
import { transactionsOfAddress } from '../../libs/queries/transactions-of-address/transactions-of-address.ts'
import { transfersOfToken } from '../../libs/queries/transfers-of-token.ts'
import { transfersOfTransaction } from '../../libs/queries/transfers-of-transaction/transfers-of-transaction.ts'
import { bandOf } from '../../libs/tables/declare/band.ts'
import { groupId, groupNames } from '../../libs/tables/declare/group-versions.ts'
import { balances } from '../../libs/tables/tables/balances.ts'
import { holders } from '../../libs/tables/tables/holders.ts'
import { progress } from '../../libs/tables/tables/progress.ts'
import { rateHoursKept, rateHourToken } from '../../libs/tables/tables/tokens.ts'
import { testStore } from '../support/engine.ts'
import { insertRows } from '../support/insert-rows.ts'
import {
  aliveRows,
  busy,
  busyRows,
  crowded,
  crowdedRows,
  fewRatesHour,
  fillBusy,
  fillCrowds,
  fillGraves,
  left,
  manyRatesHour,
} from './busy-rows.ts'

const subject = address(`0x${busy.address}`)
const transaction = hash(`0x${busy.hash}`)
const limit = 51
/** Of the list, from its start. */
const depths = [0, 0.5, 0.98]

const queries = new Map(
  declaredQueries.flatMap((query) => formsOf(query).map((sql) => [sql, query] as const)),
)
const position = 7
let store: Store
let drop: () => Promise<void>

beforeAll(async () => {
  const opened = await testStore()
  store = opened.store
  drop = opened.drop
  await fillBusy(store)
  await fillGraves(store)
  await fillCrowds(store)
  for (const group of groupNames.map(groupId)) {
    const nothing = { blockNumber: null, blockHash: null, timestamp: null, logHash: null }
    const none = { ...nothing, knownFrom: 0, isDeleted: 0 }
    await insertRows(store, progress, [{ ...none, group, position: toPosition(position) }])
  }
})
afterAll(() => drop())

/** The same store, and what each question to it cost. */
function measured() {
  const costs: { query: Query<unknown>; cost: QueryCost }[] = []
  const asked: Store = {
    ...store,
    async query(sql, parameters, { group } = {}) {
      const onCost = (cost: QueryCost) => {
        const query = queries.get(sql)
        if (query) costs.push({ query, cost })
      }
      const rows = await store.query(sql, parameters, { onCost })
      // With the check of its replica it gives the same, and leaves its key as it is.
      const checked = await store.query(sql, parameters, { onCost, group, position })
      expect(checked.equals(rows), `${queries.get(sql)?.name} with a replica check`).toBe(true)
      return rows
    },
  }
  return { asked, costs }
}

async function expectWithinBudgets(page: (asked: Store) => Promise<{ readonly rows: number }>) {
  const { asked, costs } = measured()
  const { rows } = await page(asked)
  expect(rows).toBeGreaterThan(0)
  expect(costs.length).toBeGreaterThan(0)
  for (const { query, cost } of costs) {
    expect(cost.rowsRead, `rows of ${query.name}`).toBeLessThanOrEqual(query.budget.rowsMax)
    expect(cost.bytesRead, `bytes of ${query.name}`).toBeLessThanOrEqual(query.budget.bytesMax)
    expect(query.budget.rowsMax, `${query.name} has a budget of all rows`).toBeLessThan(busyRows)
  }
  return costs
}

const counted = async (rows: Promise<readonly unknown[] | ReadonlyMap<unknown, unknown>>) => {
  const found = await rows
  return { rows: 'length' in found ? found.length : found.size }
}

describe.each(depths)('a page at %d of the list stays within its budgets', (depth) => {
  const lastBlock = Math.floor((busyRows * 1.5) / 20)
  const at = Math.floor(busyRows * 1.5 * (1 - depth))
  const byBlock =
    depth === 0 ? null : { blockNumber: Math.floor(lastBlock * (1 - depth)), index: 3 }

  test.each(['asc', 'desc'] as const)('transactions by block, %s', async (order) => {
    const list = { address: subject, filter: null, sort: 'block_number', order, limit } as const
    await expectWithinBudgets((asked) =>
      counted(transactionsOfAddress(asked, { ...list, after: byBlock })),
    )
  })

  test.each([
    { sort: 'value', order: 'asc' },
    { sort: 'value', order: 'desc' },
    { sort: 'fee', order: 'asc' },
    { sort: 'fee', order: 'desc' },
  ] as const)('transactions by $sort, $order', async (list) => {
    const amount = list.sort === 'value' ? BigInt(at) : 21000n * BigInt(Math.floor(99 * depth))
    const after = byBlock && { ...byBlock, value: amount, fee: amount }
    const asking = { address: subject, filter: null, ...list, after, limit } as const
    await expectWithinBudgets((asked) => counted(transactionsOfAddress(asked, asking)))
  })

  test('logs, with and without a topic', async () => {
    const after = byBlock && { ...byBlock, logIndex: 3 }
    for (const topic of [null, transaction]) {
      const list = { address: subject, topic, after, limit }
      await expectWithinBudgets((asked) => counted(logsOfAddress(asked, list)))
    }
  })

  test('transfers of a token and of a transaction', async () => {
    const after = byBlock && { ...byBlock, logIndex: 3, batchIndex: 0 }
    const ofToken = { token: subject, after, limit }
    await expectWithinBudgets((asked) => counted(transfersOfToken(asked, ofToken)))
    const place = byBlock && { logIndex: Math.floor(busyRows * 1.5 * depth), batchIndex: 0 }
    const list = { hash: transaction, filter: null, after: place, limit }
    await expectWithinBudgets((asked) => counted(transfersOfTransaction(asked, list)))
  })

  test('tokens and NFTs of an address', async () => {
    const value = BigInt(Math.floor(999 * (1 - depth))) * 1000000n
    const after = byBlock && { value, ordinal: Math.floor(at) }
    const tokens = { holder: subject, standards, after, limit }
    await expectWithinBudgets((asked) => counted(balancesOfAddress(asked, tokens)))
    const first = Math.floor(255 * depth)
      .toString(16)
      .padStart(2, '0')
    const token = address(`0x${first}${'00'.repeat(19)}`)
    const place = byBlock && ({ standard: 'ERC-1155', token, tokenId: 5n } as const)
    const nfts = { owner: subject, standards, after: place, limit }
    await expectWithinBudgets((asked) => counted(nftsOfAddress(asked, nfts)))
  })
})

describe('a page in the middle of a list, where most granules have a subject of their own', () => {
  const of = address(`0x${crowded}`)
  const middle = { blockNumber: Math.floor((crowdedRows * 21) / 20 / 2), index: 3, logIndex: 3 }
  const byBlock = { filter: null, sort: 'block_number', after: middle, limit } as const

  test.each(['asc', 'desc'] as const)('transactions by block, %s', async (order) => {
    const list = { address: of, ...byBlock, order }
    await expectWithinBudgets((asked) => counted(transactionsOfAddress(asked, list)))
  })

  test.each(['asc', 'desc'] as const)('transactions by value, %s', async (order) => {
    const after = { ...middle, value: BigInt(middle.blockNumber * 20) }
    const list = { address: of, ...byBlock, sort: 'value', after, order } as const
    await expectWithinBudgets((asked) => counted(transactionsOfAddress(asked, list)))
  })

  test('logs, transfers and NFTs', async () => {
    const logs = { address: of, topic: null, after: middle, limit }
    await expectWithinBudgets((asked) => counted(logsOfAddress(asked, logs)))
    const transfers = { token: of, after: { ...middle, batchIndex: 0 }, limit }
    await expectWithinBudgets((asked) => counted(transfersOfToken(asked, transfers)))
    const after = {
      standard: 'ERC-721',
      token: address(`0x80${'00'.repeat(19)}`),
      tokenId: 5n,
    } as const
    await expectWithinBudgets((asked) =>
      counted(nftsOfAddress(asked, { owner: of, standards, after, limit })),
    )
  })
})

test('rates of an hour, and balances of the tokens that have one', async () => {
  const counts = [[fewRatesHour, 100] as const, [manyRatesHour, 10_000] as const]
  for (const [hour, count] of counts) {
    // All rates of an hour are of one position; what lies there of others does not count.
    const position = 10 * busyRows
    await store.execute(`INSERT INTO token_rates (slot, token, hour, rate, position, isDeleted)
      SELECT slot, token, hour, rate, ${position}, 0 FROM token_rates WHERE slot = ${hour}`)
    await store.execute(`INSERT INTO token_rates (slot, token, hour, rate, position, isDeleted)
      VALUES (${hour}, unhex('${rateHourToken.slice(2)}'), ${hour}, '${count}', ${position}, 0)`)
    const rates = async (asked: Store) => ({ rows: (await ratesOfHour(asked, hour))?.size ?? 0 })
    await expectWithinBudgets(rates)
    expect(await rates(store)).toEqual({ rows: count })
  }
  // Of another hour there is nothing, though its slot is full.
  expect(await ratesOfHour(store, manyRatesHour + rateHoursKept)).toBeNull()
  const tokens = [...((await ratesOfHour(store, fewRatesHour)) ?? new Map()).keys()]
  const many = { holder: subject, tokens }
  await expectWithinBudgets((asked) => counted(ratedBalancesOfAddress(asked, many)))
  expect(await ratedBalancesOfAddress(store, many)).toHaveLength(100)
  const all = [...((await ratesOfHour(store, manyRatesHour)) ?? new Map()).keys()]
  const rich = address(`0x${'de'.repeat(20)}`)
  const ofRich = `unhex('${rich.slice(2)}') AS holder`
  await store.execute(`INSERT INTO ${balances.stored} (holder, token, value, position, isDeleted)
    SELECT ${ofRich}, token, 5, 1, 0 FROM token_rates
    WHERE slot = ${manyRatesHour} AND cityHash64(token) % 2 = 0`)
  await store.execute(`INSERT INTO ${balances.stored} (holder, token, value, position, isDeleted)
    SELECT ${ofRich}, substring(SHA256(toString(number)), 3, 20), 5, 1, 0 FROM numbers(45000)`)
  const most = { holder: rich, tokens: all }
  await expectWithinBudgets((asked) => counted(ratedBalancesOfAddress(asked, most)))
  const found = (await ratedBalancesOfAddress(store, most)).map(({ token }) => token)
  expect(found.length).toBeGreaterThan(1_000)
  // As by their keys, a thousand at a time.
  const parts = Array.from({ length: 10 }, (_, at) => all.slice(1_000 * at, 1_000 * (at + 1)))
  const byKeys = await Promise.all(
    parts.map((tokens) => ratedBalancesOfAddress(store, { holder: rich, tokens })),
  )
  expect(found.sort()).toEqual(byKeys.flatMap((rows) => rows.map(({ token }) => token)).sort())
  const poor = address(`0x${'dd'.repeat(20)}`)
  await store.execute(`INSERT INTO ${balances.stored} (holder, token, value, position, isDeleted)
    SELECT unhex('${poor.slice(2)}'), substring(SHA256(toString(number)), 1, 20), 5, 1, 0
    FROM numbers(30)`)
  const few = { holder: poor, tokens }
  await expectWithinBudgets((asked) => counted(ratedBalancesOfAddress(asked, few)))
})

test('holders of a token', async () => {
  const list = { token: subject, limit }
  for (const value of [null, 999_999_999n, 500_000_000n, 1_000n]) {
    const after = value === null ? null : { value, holder: subject, tokenId: null }
    await expectWithinBudgets((asked) => counted(holdersOfToken(asked, { ...list, after })))
  }
})

test('holders in a large band of different balances take two statements', async () => {
  const list = { token: subject, limit }
  for (const value of [null, 999_999_999n, 500_000_000n]) {
    const after = value === null ? null : { value, holder: subject, tokenId: null }
    const page = (asked: Store) => counted(holdersOfToken(asked, { ...list, after }))
    const costs = await expectWithinBudgets(page)
    expect(costs.map(({ query }) => query.name).sort()).toEqual(
      ['holders-of-band', 'holders-of-token'].flatMap((name) => [name, name]),
    )
  }
})

test('holders of a token with equal balances, beside one that has more', async () => {
  const equal = address(`0x${'e9'.repeat(20)}`)
  const value = 1_000_000n
  const insert = (rows: number, of: bigint) =>
    store.execute(`INSERT INTO ${holders.stored} (token, band, holder, value, position, isDeleted)
      SELECT unhex('${withoutPrefix(equal)}'), ${bandOf(value)},
        substring(SHA256(toString(number)), 1, 20), ${of}, 1, 0
      FROM numbers(${rows}) SETTINGS async_insert = 0`)
  expect(bandOf(value + 1n)).toBe(bandOf(value))
  await insert(200_000, value)
  await insert(1, value + 1n)
  const list = { token: equal, after: null, limit }
  await expectWithinBudgets((asked) => counted(holdersOfToken(asked, list)))
  const rows = await holdersOfToken(store, list)
  expect(rows.map((row) => row.value)).toEqual([value + 1n, ...Array(limit - 1).fill(value)])
})

test('lists buried in tombstones are found and stay within their budgets', async () => {
  const subject = address(`0x${left}`)
  const asked = { standards, after: null, limit }
  const lists = [
    (store: Store) => counted(balancesOfAddress(store, { holder: subject, ...asked })),
    (store: Store) => counted(nftsOfAddress(store, { owner: subject, ...asked })),
    (store: Store) => counted(holdersOfToken(store, { token: subject, after: null, limit })),
  ]
  for (const list of lists) {
    await expectWithinBudgets(list)
    expect(await list(store)).toEqual({ rows: aliveRows })
  }
})

test('look-ups of a page', async () => {
  const transfers = await transfersOfToken(store, { token: subject, after: null, limit: 51 })
  const hashes = transfers.map(({ blockHash }) => blockHash)
  const addresses = transfers.flatMap(({ from, to }) => [from, to])
  const keys = addresses.map((token, at) => ({ token, tokenId: BigInt(at) }))
  await expectWithinBudgets((asked) => counted(transactionsByHash(asked, hashes)))
  await expectWithinBudgets((asked) => counted(tokenStates(asked, addresses)))
  await expectWithinBudgets((asked) => counted(addressStates(asked, addresses)))
  const instances = await instancesByKey(store, keys)
  expect(instances.size).toBe(0)
  await expectWithinBudgets((asked) =>
    counted(logsOfTransaction(asked, { hash: transaction, limit: 11 })),
  )
})
