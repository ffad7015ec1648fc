import { expect, test } from 'vitest'
import {
  aHash,
  anAddress,
  aToken,
  aTransaction,
  aTransfer,
  indexOf,
} from '../../../libs/presenters/testing/rows.ts'
import type { TransferRow } from '../../../libs/presenters/transfer.ts'
import type { Row } from '../../../libs/tables/table.ts'
import type { tokenState } from '../../../libs/tables/token-state.ts'
import type { Asks } from '../asks.ts'
import { askedApi, bodyOf } from '../testing/asked-api.ts'

const token = anAddress(0x72)
const hash = aHash(0x7a)
const known: Row<typeof tokenState> = aToken({ token, standard: indexOf('ERC-1155') })
const item = (says: Partial<TransferRow>): TransferRow =>
  aTransfer({ token, form: indexOf('ERC-1155'), tokenId: 1n, transactionHash: hash, ...says })

/** A list of transfers, newest first, that is cut at places as the tables cut it. */
function tokenApi(rows: readonly TransferRow[], answers: Partial<Asks> = {}) {
  const asked: unknown[] = []
  const api = askedApi({
    tokenStates: async () => new Map([[token, known]]),
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

test('walks batches by whatever the page said, each item once', async () => {
  const rows = [...batch(103, 7, 3), item({ blockNumber: 102 }), ...batch(100, 5, 12)]
  const blockOf = { blockHash: aHash(0xb1) }
  const { ask } = tokenApi(rows, {
    // A batch's transaction tells its block: the rows of each batch share one.
    places: async () => new Map([[hash, aTransaction({ ...blockOf, blockNumber: 100 })]]),
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
  const found = tokenApi([], { places: async () => new Map([[hash, mined]]) })
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

test('lists the transfers of a transaction from the place that a batch or an index tells', async () => {
  const asked: unknown[] = []
  const { ask } = askedApi({
    places: async () => new Map([[hash, aTransaction()]]),
    async transfersOfTransaction({ after, standards }) {
      asked.push([after, standards])
      return []
    },
  })
  const list = `/api/v2/transactions/${hash}/token-transfers`
  await ask(`${list}?type=ERC-1155`)
  await ask(`${list}?block_number=100&index=4`)
  await ask(`${list}?batch_log_index=5&index_in_batch=3&batch_transaction_hash=${hash}`)
  await ask(`${list}?batch_log_index=5&index_in_batch=3&batch_transaction_hash=${aHash(1)}`)
  await ask(`${list}?batch_log_index=5`)
  expect(asked).toEqual([
    [null, ['ERC-1155']],
    [{ logIndex: 4, batchIndex: null }, null],
    [{ logIndex: 5, batchIndex: 3 }, null],
    [null, null],
    [null, null],
  ])
})

test('does not know transfers of an unknown token or transaction', async () => {
  const { ask } = askedApi()
  expect((await ask(path)).status).toBe(404)
  expect((await ask(`/api/v2/transactions/${hash}/token-transfers`)).status).toBe(404)
  expect((await ask(`/api/v2/transactions/${hash}/summary`)).status).toBe(404)
})
