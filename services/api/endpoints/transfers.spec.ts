import { expect, test } from 'vitest'
import type { TransferRow } from '../../../libs/presenters/objects/transfer.ts'
import {
  aHash,
  anAddress,
  aToken,
  aTransaction,
  aTransfer,
  indexOf,
} from '../../../libs/presenters/testing/rows.ts'
import type { Row } from '../../../libs/tables/declare/table.ts'
import type { tokenState } from '../../../libs/tables/tables/tokens.ts'
import type { Answers } from '../testing/answers.ts'
import { bodyOf, testApi } from '../testing/test-api.ts'

const token = anAddress(0x72)
const hash = aHash(0x7a)
const lookups: Row<typeof tokenState> = aToken({ token, standard: indexOf('ERC-1155') })
const item = (says: Partial<TransferRow>): TransferRow =>
  aTransfer({ token, form: indexOf('ERC-1155'), tokenId: 1n, transactionHash: hash, ...says })

/** A list of transfers, newest first, that is cut at places as the tables cut it. */
function tokenApi(rows: readonly TransferRow[], answers: Answers = {}) {
  const asked: unknown[] = []
  const api = testApi({
    tokenStates: async () => new Map([[token, lookups]]),
    async transfersOfToken({ after, limit }) {
      asked.push(after)
      const from = rows.findIndex(
        (row) =>
          after === null ||
          row.blockNumber < after.blockNumber ||
          (row.blockNumber === after.blockNumber &&
            (row.logIndex < after.logIndex ||
              (row.logIndex === after.logIndex && row.batchIndex < (after.batchIndex ?? -1)))),
      )
      return from < 0 ? [] : rows.slice(from, from + limit)
    },
    ...answers,
  })
  return { asked, ask: api.ask }
}

const path = `/api/v2/tokens/${token}/transfers`
const batch = (blockNumber: number, logIndex: number, count: number): TransferRow[] =>
  Array.from({ length: count }, (_, at) =>
    item({ blockNumber, logIndex, batchIndex: count - 1 - at, batchSize: count }),
  )

test('ends a page between logs by the place of its last item', async () => {
  const { ask } = tokenApi([item({ logIndex: 9 }), item({ logIndex: 4 })])
  expect(bodyOf(await ask(`${path}?items_count=1`))).toMatchObject({
    items: [{ log_index: 9 }],
    next_page_params: { block_number: 100, index: 9, items_count: 1 },
  })
  expect(bodyOf(await ask(path))).toMatchObject({ next_page_params: null })
})

test('gives items_count back only if it was sent', async () => {
  const rows = Array.from({ length: 51 }, (_, at) => item({ logIndex: 90 - at }))
  const body = bodyOf(await tokenApi(rows).ask(path))
  expect(body).toMatchObject({ next_page_params: { block_number: 100, index: 41 } })
  expect(body).not.toHaveProperty('next_page_params.items_count')
})

test('ends a page inside a batch by its last item and the transfer before the batch', async () => {
  const rows = [item({ blockNumber: 101, logIndex: 2 }), ...batch(100, 5, 51)]
  const { ask } = tokenApi(rows)
  expect(bodyOf(await ask(`${path}?items_count=3`))).toMatchObject({
    next_page_params: {
      block_number: 101,
      index: 2,
      batch_log_index: 5,
      batch_block_hash: aHash(0xb1),
      batch_transaction_hash: hash,
      index_in_batch: 49,
    },
  })
})

test('leaves out the transfer before a batch that opens the list, and keeps that of the request', async () => {
  const { ask } = tokenApi(batch(100, 5, 51))
  const first = bodyOf(await ask(path))
  expect(first).toHaveProperty('next_page_params.index_in_batch', 1)
  expect(first).not.toHaveProperty('next_page_params.block_number')
  const later = await ask(`${path}?items_count=1&block_number=101&index=2`)
  expect(bodyOf(later)).toMatchObject({ next_page_params: { block_number: 101, index: 2 } })
})

test('walks batches by the cursor of each page, each item once', async () => {
  const rows = [...batch(103, 7, 3), item({ blockNumber: 102 }), ...batch(100, 5, 12)]
  const blockOf = { blockHash: aHash(0xb1) }
  const { ask } = tokenApi(rows, {
    // A batch's transaction tells its block: the rows of each batch share one.
    placesOfTransactions: async () =>
      new Map([[hash, aTransaction({ ...blockOf, blockNumber: 100 })]]),
  })
  const seen: unknown[] = []
  let query = 'items_count=4'
  for (let pages = 0; pages < 10; pages++) {
    const body = JSON.parse((await ask(`${path}?${query}`)).body.toString())
    seen.push(...body.items)
    if (body.next_page_params === null) break
    query = new URLSearchParams(body.next_page_params).toString()
  }
  expect(seen).toHaveLength(rows.length)
})

test('finds a batch by its transaction, else goes on after the transfer before it', async () => {
  const keys = `batch_log_index=5&batch_transaction_hash=${hash}&index_in_batch=3`
  const place = '&block_number=101&index=2'
  const mined = aTransaction({ blockNumber: 100 })
  const found = tokenApi([], { placesOfTransactions: async () => new Map([[hash, mined]]) })
  await found.ask(`${path}?${keys}${place}`)
  await found.ask(`${path}?${keys}&batch_block_hash=${aHash(0xb1)}`)
  await found.ask(`${path}?${keys}&batch_block_hash=${aHash(0xff)}${place}`)
  expect(found.asked).toEqual([
    { blockNumber: 100, logIndex: 5, batchIndex: 3 },
    { blockNumber: 100, logIndex: 5, batchIndex: 3 },
    { blockNumber: 101, logIndex: 2, batchIndex: null },
  ])
  const orphaned = tokenApi([])
  await orphaned.ask(`${path}?${keys}${place}`)
  await orphaned.ask(`${path}?${keys}`)
  expect(orphaned.asked).toEqual([{ blockNumber: 101, logIndex: 2, batchIndex: null }, null])
})

test('lists the transfers of a transaction after the batch or the index of a cursor', async () => {
  const asked: unknown[] = []
  const keepingNothing = { pageCacheBytesMax: 1 }
  const answers: Answers = {
    placesOfTransactions: async () => new Map([[hash, aTransaction()]]),
    async transfersOfTransaction({ after, filter }) {
      asked.push([after, filter?.standards ?? null])
      return []
    },
  }
  const { ask } = testApi(answers, keepingNothing)
  const list = `/api/v2/transactions/${hash}/token-transfers`
  await ask(`${list}?type=ERC-1155`)
  await ask(`${list}?block_number=100&index=4`)
  await ask(`${list}?batch_log_index=5&index_in_batch=3&batch_transaction_hash=${hash}`)
  await ask(`${list}?batch_log_index=5&index_in_batch=3&batch_transaction_hash=${aHash(1)}`)
  await ask(`${list}?batch_log_index=5`)
  // An empty list is read once more if its transaction was found only after that.
  expect(asked).toEqual([
    [null, ['ERC-1155']],
    [null, ['ERC-1155']],
    [{ logIndex: 4, batchIndex: null }, null],
    [{ logIndex: 5, batchIndex: 3 }, null],
    ...Array.from({ length: 4 }, () => [null, null]),
  ])
})

/** A transaction with `rows`, whose list is cut at places as the tables cut it. */
function transactionApi(
  rows: readonly TransferRow[],
  block: Parameters<typeof aTransaction>[0] = {},
) {
  const asked: unknown[] = []
  const api = testApi({
    placesOfTransactions: async () => new Map([[hash, aTransaction(block)]]),
    async transfersOfTransaction({ after, limit }) {
      asked.push(after)
      const from = rows.findIndex(
        (row) =>
          after === null ||
          row.logIndex > after.logIndex ||
          (row.logIndex === after.logIndex && row.batchIndex < (after.batchIndex ?? -1)),
      )
      return from < 0 ? [] : rows.slice(from, from + limit)
    },
  })
  return { asked, ask: api.ask }
}

const ofTransaction = `/api/v2/transactions/${hash}/token-transfers`
const batchKeys = [
  'batch_log_index',
  'batch_block_hash',
  'batch_transaction_hash',
  'index_in_batch',
]

test('ends every page of a transaction by the keys of both kinds of clients', async () => {
  const { ask } = transactionApi([item({ logIndex: 4 }), item({ logIndex: 9 })])
  expect(bodyOf(await ask(`${ofTransaction}?items_count=1`))).toEqual({
    items: [expect.objectContaining({ log_index: 4 })],
    next_page_params: {
      block_number: 100,
      index: 4,
      batch_log_index: 4,
      batch_block_hash: aHash(0xb1),
      batch_transaction_hash: hash,
      index_in_batch: 0,
      items_count: 1,
    },
  })
})

test.each([
  ['all keys', (key: string) => key !== 'x'],
  ['the four of a batch', (key: string) => batchKeys.includes(key)],
])('walks a transaction to its end by %s, each item once', async (_, isKept) => {
  const rows = [item({ logIndex: 1 }), ...batch(100, 5, 7), item({ logIndex: 8 })]
  const { ask } = transactionApi([...rows, ...batch(100, 9, 3)])
  const seen: unknown[] = []
  let query = ''
  for (let pages = 0; pages < 20; pages++) {
    const body = JSON.parse((await ask(`${ofTransaction}?items_count=2&${query}`)).body.toString())
    seen.push(...body.items)
    if (body.next_page_params === null) break
    const kept = Object.entries(body.next_page_params).filter(([key]) => isKept(key))
    query = kept.map(([key, value]) => `${key}=${value}`).join('&')
  }
  expect(seen).toHaveLength(rows.length + 3)
})

test('starts again if the transaction is in another block than its cursor', async () => {
  const moved = transactionApi([], { blockNumber: 101, blockHash: aHash(0xb2) })
  const place = 'batch_log_index=5&index_in_batch=0'
  await moved.ask(`${ofTransaction}?block_number=100&index=40`)
  await moved.ask(`${ofTransaction}?${place}&batch_block_hash=${aHash(0xb1)}`)
  await moved.ask(`${ofTransaction}?${place}&block_number=101&batch_block_hash=${aHash(0xb1)}`)
  expect(moved.asked).toEqual([null, null, null])
  const there = transactionApi([])
  await there.ask(`${ofTransaction}?block_number=100&index=40`)
  await there.ask(`${ofTransaction}?${place}&block_number=100&batch_block_hash=${aHash(0xb1)}`)
  expect(there.asked).toEqual([
    { logIndex: 40, batchIndex: null },
    { logIndex: 5, batchIndex: 0 },
  ])
})

test('does not know transfers of an unknown token or transaction', async () => {
  const { ask } = testApi()
  expect((await ask(path)).status).toBe(404)
  expect((await ask(`/api/v2/transactions/${hash}/token-transfers`)).status).toBe(404)
  expect((await ask(`/api/v2/transactions/${hash}/summary`)).status).toBe(404)
})
