import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../libs/chain/hex.ts'
import { position } from '../../libs/chain/position.ts'
import { type Standard, standards } from '../../libs/chain/token.ts'
import type { QueryCost, Store } from '../../libs/ports/store.ts'
import { formsOf } from '../../libs/queries/reading/query.ts'
import { tokenStates } from '../../libs/queries/rows-by-key/rows-by-key.ts'
import {
  tokensOfTransaction,
  transfersOfTokens,
  transfersOfTransaction,
  transfersOfTransactionInOrder,
  transfersOfTransactionVersions,
} from '../../libs/queries/transfers-of-transaction/transfers-of-transaction.ts'
import type { Row } from '../../libs/tables/declare/table.ts'
import { tokenState } from '../../libs/tables/tables/tokens.ts'
import { transfersByTransaction as table } from '../../libs/tables/tables/transfers.ts'
import { insertMade } from '../../libs/tables/testing/insert-made.ts'
import { testStore } from '../support/engine.ts'
import { addressOf, hashOf, historyOf, insertShuffled, settled, walked } from './histories.ts'
import { random as seeded } from './random.ts'
import { transferRow } from './rows.ts'

type Transfer = Row<typeof table>

const random = seeded()
const seed = `FOLDSCAN_TEST_SEED=${random.seed}`
const indexOf = (standard: Standard) => standards.indexOf(standard)
let store: Store
let drop: () => Promise<void>
beforeAll(async () => {
  const opened = await testStore()
  store = opened.store
  drop = opened.drop
})
afterAll(() => drop())

const words = { name: null, symbol: null, decimals: null }
const state = { ordinal: 1, ...words, totalSupply: null, holdersCount: null }
const version = { position: position(1), isDeleted: 0 }
const stateOf = (token: Address, standard: Standard): Row<typeof tokenState> => ({
  ...{ token, standard: indexOf(standard), ...state, isComplete: true, shownSince: 0 },
  ...version,
})

/** Looks tokens up in the tables, and counts how often. */
function lookUps() {
  let count = 0
  const statesOf = (tokens: readonly Address[]) => {
    count += 1
    return tokenStates(store, tokens)
  }
  return { statesOf, count: () => count }
}

const declared = [
  transfersOfTransactionInOrder,
  tokensOfTransaction,
  transfersOfTokens,
  transfersOfTransactionVersions,
]

/** The same store; each query to it is counted, and stays within its budget. */
function countedStore() {
  let count = 0
  const query: Store['query'] = (sql, parameters) => {
    count += 1
    const { name, budget } =
      declared.find((one) => formsOf(one).includes(sql)) ?? tokensOfTransaction
    const onCost = ({ rowsRead, bytesRead }: QueryCost) => {
      expect(rowsRead, `rows of ${name}`).toBeLessThanOrEqual(budget.rowsMax)
      expect(bytesRead, `bytes of ${name}`).toBeLessThanOrEqual(budget.bytesMax)
    }
    return store.query(sql, parameters, { onCost })
  }
  return { counted: { ...store, query }, queries: () => count }
}

describe('a transaction with 100,000 transfers of another standard', () => {
  const hash = hashOf(1)
  const [common, rare] = [addressOf(300), addressOf(301)]
  const others = 100_000
  const rareLogs = Array.from({ length: 120 }, (_, at) => 10 + at * 800)

  beforeAll(async () => {
    const bytes = (hex: string) => `unhex('${hex.slice(2)}')`
    const transfers = {
      table: table.name,
      columns: `${bytes(hash)} AS transactionHash, number AS logIndex, 0 AS batchIndex,
        ${bytes(common)} AS token, ${indexOf('ERC-20')} AS form, 1 AS position, 0 AS isDeleted`,
      source: `numbers(${others}) WHERE number NOT IN (${rareLogs})`,
    }
    await store.execute(`${insertMade(transfers)} SETTINGS async_insert = 0`)
    const rows = rareLogs.map((logIndex): Transfer => {
      const key = { transactionHash: hash, logIndex, batchIndex: 0, blockNumber: 1 }
      // As collections of old do: the form of its log is not the standard of the token.
      return { ...transferRow(1n), ...key, token: rare, form: indexOf('ERC-20'), ...version }
    })
    await insertShuffled(store, table, { rows, parts: 2, random })
    const states = [stateOf(common, 'ERC-20'), stateOf(rare, 'ERC-721')]
    await insertShuffled(store, tokenState, { rows: states, parts: 1, random })
  })

  test('is read by a handful of queries a page, filtered by either, each transfer once', async () => {
    const { statesOf, count } = lookUps()
    const { counted, queries } = countedStore()
    const filter = { standards: ['ERC-721'] as const, statesOf }
    const seen: number[] = []
    let after: Transfer | null = null
    let pages = 0
    for (; pages < 10; pages++) {
      const found: readonly Transfer[] = await transfersOfTransaction(counted, {
        hash,
        filter,
        after,
        limit: 50,
      })
      seen.push(...found.map(({ logIndex }) => logIndex))
      if (found.length < 50) break
      after = found.at(-1) ?? null
    }
    expect(seen).toEqual(rareLogs)
    expect(queries() + count()).toBeLessThanOrEqual(8 * (pages + 1))
  })

  test('ends where it has none of them', async () => {
    const { statesOf, count } = lookUps()
    const { counted, queries } = countedStore()
    const filter = { standards: ['ERC-404'] as const, statesOf }
    const list = { hash, filter, after: null, limit: 51 }
    expect(await transfersOfTransaction(counted, list)).toEqual([])
    expect(queries() + count()).toBeLessThanOrEqual(8)
  })
})

describe('a transaction of a thousand tokens, some not known yet, taken back and included again', () => {
  const hash = hashOf(2)
  const tokens = Array.from({ length: 1_000 }, (_, at) => addressOf(1_000 + at))
  const known = new Map<Address, Standard>()
  const rows: Transfer[] = []

  beforeAll(async () => {
    for (const token of tokens) {
      if (random.below(10) > 0) known.set(token, random.oneOf(standards))
    }
    for (let logIndex = 0; logIndex < 3_000; logIndex++) {
      const batch = random.below(10) === 0 ? 3 : 1
      for (let batchIndex = 0; batchIndex < batch; batchIndex++) {
        const key = { transactionHash: hash, logIndex, batchIndex, blockNumber: 1 }
        const said = new Map<number, Pick<Transfer, 'token' | 'form'>>()
        for (const one of historyOf(random, random.below(4) === 0)) {
          // Another token in another block: another version of the same key.
          const transfer = { token: random.oneOf(tokens), form: random.below(3) }
          said.set(one.position, said.get(one.position) ?? transfer)
          rows.push({ ...transferRow(1n), ...key, ...transfer, ...said.get(one.position), ...one })
        }
      }
    }
    const states = [...known].map(([token, standard]) => stateOf(token, standard))
    await insertShuffled(store, table, { rows, parts: 3, random })
    await insertShuffled(store, tokenState, { rows: states, parts: 1, random })
  })

  test.each([['ERC-20'], ['ERC-721', 'ERC-404'], ['ERC-1155']] as const)(
    'filtered by %s is what the naive list has',
    async (...types: Standard[]) => {
      const expected = settled(table, rows)
        .filter(({ token, form }) =>
          types.includes(known.get(token) ?? standards[form] ?? 'ERC-20'),
        )
        .sort((a, b) => a.logIndex - b.logIndex || b.batchIndex - a.batchIndex)
      expect(expected.length).toBeGreaterThan(300)
      const filter = { standards: types, statesOf: lookUps().statesOf }
      const page = (after: Transfer | null, limit: number) =>
        transfersOfTransaction(store, { hash, filter, after, limit })
      expect(await walked(random, page), seed).toEqual(expected)
      const whole = { hash, filter, after: null, limit: 5_000 }
      expect(await transfersOfTransaction(store, whole), seed).toEqual(expected)
    },
  )
})
