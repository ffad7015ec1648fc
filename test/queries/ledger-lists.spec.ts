import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address, Hash } from '../../libs/chain/hex.ts'
import { position } from '../../libs/chain/position.ts'
import { standards } from '../../libs/chain/token.ts'
import type { Store } from '../../libs/ports/store.ts'
import { logsOfAddress } from '../../libs/queries/logs-of-address/logs-of-address.ts'
import { logsOfTransaction } from '../../libs/queries/logs-of-transaction.ts'
import { tokenStates } from '../../libs/queries/rows-by-key/rows-by-key.ts'
import { transfersOfToken } from '../../libs/queries/transfers-of-token.ts'
import { transfersOfTransaction } from '../../libs/queries/transfers-of-transaction/transfers-of-transaction.ts'
import type { Row } from '../../libs/tables/declare/table.ts'
import { logsByAddress, logsByTopic, logsByTransaction } from '../../libs/tables/tables/logs.ts'
import { tokenState } from '../../libs/tables/tables/tokens.ts'
import { transfersByToken, transfersByTransaction } from '../../libs/tables/tables/transfers.ts'
import { testStore } from '../support/engine.ts'
import { addressOf, hashOf, historyOf, insertShuffled, settled, walked } from './histories.ts'
import { random as seeded } from './random.ts'
import { transferRow } from './rows.ts'

const random = seeded()
const seed = `FOLDSCAN_TEST_SEED=${random.seed}`
let store: Store
let drop: () => Promise<void>
beforeAll(async () => {
  const opened = await testStore()
  store = opened.store
  drop = opened.drop
})
afterAll(() => drop())

describe('logs', () => {
  const address = addressOf(100)
  const topics = [hashOf(1), hashOf(2), hashOf(3)]
  const logs: Row<typeof logsByAddress>[] = []
  const ofTransaction: Row<typeof logsByTransaction>[] = []

  beforeAll(async () => {
    const byTopic: Row<typeof logsByTopic>[] = []
    for (let blockNumber = 0; blockNumber < 50; blockNumber++) {
      for (let logIndex = 0; logIndex < 12; logIndex++) {
        const topic = random.oneOf(topics)
        const log = { address, blockNumber, logIndex, topics: [topic, topic], data: '0x' as const }
        const at = { blockHash: hashOf(9), timestamp: 1, transactionIndex: 0, recipient: null }
        const row = { ...log, ...at, transactionHash: hashOf(blockNumber) }
        for (const version of historyOf(random, random.below(4) === 0)) {
          logs.push({ ...row, ...version })
          byTopic.push({ ...row, topic, ...version })
          ofTransaction.push({ ...row, ...version })
        }
      }
    }
    await insertShuffled(store, logsByAddress, { rows: logs, parts: 3, random })
    await insertShuffled(store, logsByTopic, { rows: byTopic, parts: 3, random })
    await insertShuffled(store, logsByTransaction, { rows: ofTransaction, parts: 3, random })
  })

  test.each([null, ...topics, hashOf(4)])('of an address with topic %s', async (topic) => {
    const expected = settled(logsByAddress, logs)
      .filter((log) => topic === null || log.topics.includes(topic))
      .sort((a, b) => b.blockNumber - a.blockNumber || b.logIndex - a.logIndex)
    const page = (after: Row<typeof logsByAddress> | null, limit: number) =>
      logsOfAddress(store, { address, topic, after, limit })
    expect(await walked(random, page), seed).toEqual(expected)
  })

  test('a cursor beyond all numbers is the start, one of zeros is the end', async () => {
    const list = { address, topic: null, limit: 51 }
    const far = { blockNumber: 2 ** 63, logIndex: 2 ** 63 }
    const start = await logsOfAddress(store, { ...list, after: null })
    expect(await logsOfAddress(store, { ...list, after: far })).toEqual(start)
    const zero = { blockNumber: 0, logIndex: 0 }
    expect(await logsOfAddress(store, { ...list, after: zero })).toEqual([])
  })

  test('of a transaction, in their order', async () => {
    const expected = settled(logsByTransaction, ofTransaction)
      .filter((log) => log.transactionHash === hashOf(7))
      .sort((a, b) => a.logIndex - b.logIndex)
    expect(await logsOfTransaction(store, { hash: hashOf(7), limit: 100 }), seed).toEqual(expected)
    expect(await logsOfTransaction(store, { hash: hashOf(7), limit: 2 }), seed).toEqual(
      expected.slice(0, 2),
    )
  })
})

describe('transfers', () => {
  const token = addressOf(200)
  const others = [addressOf(201), addressOf(202)]
  const byToken: Row<typeof transfersByToken>[] = []
  const byTransaction: Row<typeof transfersByTransaction>[] = []

  beforeAll(async () => {
    for (let blockNumber = 0; blockNumber < 40; blockNumber++) {
      for (let logIndex = 0; logIndex < 10; logIndex++) {
        const batch = random.below(5) === 0 ? 1 + random.below(60) : 1
        const of = random.oneOf([token, token, ...others])
        for (let batchIndex = 0; batchIndex < batch; batchIndex++) {
          const key = { token: of, blockNumber, logIndex, batchIndex }
          const transactionHash = hashOf(blockNumber)
          for (const version of historyOf(random, random.below(4) === 0)) {
            const row = { ...transferRow(BigInt(batchIndex)), transactionHash, ...key, ...version }
            byToken.push(row)
            byTransaction.push(row)
          }
        }
      }
    }
    const state = { name: null, symbol: null, decimals: null, totalSupply: null }
    const tokens = [token, ...others].map((address, standard) => ({
      ...{ token: address, standard, ordinal: 1, ...state },
      ...{ holdersCount: null, isComplete: true, shownSince: 0 },
      ...{ position: position(1), isDeleted: 0 },
    }))
    await insertShuffled(store, transfersByToken, { rows: byToken, parts: 3, random })
    await insertShuffled(store, transfersByTransaction, { rows: byTransaction, parts: 3, random })
    await insertShuffled(store, tokenState, { rows: tokens, parts: 1, random })
  })

  test('of a token, newest first, batches backwards', async () => {
    const expected = settled(transfersByToken, byToken)
      .filter((row) => row.token === token)
      .sort(
        (a, b) =>
          b.blockNumber - a.blockNumber || b.logIndex - a.logIndex || b.batchIndex - a.batchIndex,
      )
    const page = (after: Row<typeof transfersByToken> | null, limit: number) =>
      transfersOfToken(store, { token, after, limit })
    expect(await walked(random, page), seed).toEqual(expected)
    for (const cut of [expected[3], expected[200]]) {
      if (!cut) continue
      const after = { ...cut, batchIndex: null }
      const rest = expected.filter(
        (row) =>
          row.blockNumber < cut.blockNumber ||
          (row.blockNumber === cut.blockNumber && row.logIndex < cut.logIndex),
      )
      expect(await transfersOfToken(store, { token, after, limit: 51 }), seed).toEqual(
        rest.slice(0, 51),
      )
    }
  })

  const statesOf = (tokens: readonly Address[]) => tokenStates(store, tokens)

  const naive = (hash: Hash) =>
    settled(transfersByTransaction, byTransaction)
      .filter((row) => row.transactionHash === hash)
      .sort((a, b) => a.logIndex - b.logIndex || b.batchIndex - a.batchIndex)

  test.each([null, ['ERC-20'], ['ERC-721', 'ERC-1155'], ['ERC-404']] as const)(
    'of a transaction, tokens of %s',
    async (types) => {
      for (const hash of [hashOf(0), hashOf(7), hashOf(39), hashOf(99)]) {
        const expected = naive(hash).filter(
          (row) =>
            types === null ||
            types.some((type) => [token, ...others][standards.indexOf(type)] === row.token),
        )
        const filter = types && { standards: types, statesOf }
        const page = (after: Row<typeof transfersByTransaction> | null, limit: number) =>
          transfersOfTransaction(store, { hash, filter, after, limit })
        expect(await walked(random, page), seed).toEqual(expected)
        const [first] = expected
        if (!first) continue
        const after = { ...first, batchIndex: null }
        const rest = expected.filter((row) => row.logIndex > first.logIndex)
        const list = { hash, filter, after, limit: 1000 }
        expect(await transfersOfTransaction(store, list), seed).toEqual(rest)
      }
    },
  )
})
