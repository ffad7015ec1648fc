import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { hash as asHash, type Hash } from '../../libs/chain/hex.ts'
import { position } from '../../libs/chain/position.ts'
import type { Cache } from '../../libs/ports/cache.ts'
import type { HttpHandler } from '../../libs/ports/http.ts'
import type { Store } from '../../libs/ports/store.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { aHash, aLog, anAddress, aTransaction } from '../../libs/presenters/testing/rows.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { logsByAddress, logsByTopic } from '../../libs/tables/tables/logs.ts'
import {
  transactions as byHash,
  transactionsByAddress,
  transactionsByFee,
  transactionsByValue,
  withoutLongTexts,
} from '../../libs/tables/tables/transactions.ts'
import { startApi } from '../../services/api/api.ts'
import { pageBytesMax } from '../../services/api/endpoints/pipeline/list-body.ts'
import { type Cursor, pageAt, sentBack } from '../oracle/walk.ts'
import { random as seeded } from '../queries/random.ts'
import { insertRows } from '../support/insert-rows.ts'

/** What an API is made of. */
export interface LargePagesBed {
  readonly store: Store
  readonly cache?: Cache
  drop(): Promise<void>
}

const address = anAddress(0xa1)
const topic = aHash(0x70)
const rowsCount = 48
const kb = 1_000
/** Of inputs and of data; a few have more text than a page. */
const lengths = [0, 4, 3 * kb, 100 * kb, 100 * kb, 400 * kb] as const
const [single, longest] = [17, 3_000 * kb]

interface List {
  readonly path: string
  readonly parameters: Readonly<Record<string, string>>
  /** Rows by number. */
  readonly expected: readonly number[]
}

const itemForm = z.object({
  hash: z.string().optional(),
  transaction_hash: z.string().optional(),
})

/** Walks over pages that end early, because rows are long. */
export function largePagesLaws(open: () => Promise<LargePagesBed>): void {
  const random = seeded()
  const seed = `FOLDSCAN_TEST_SEED=${random.seed}`
  let bed: LargePagesBed
  let handler: HttpHandler
  let stop: () => Promise<void>

  beforeAll(async () => {
    bed = await open()
    await fill(bed.store)
    const { store, cache } = bed
    const rest = { eventLog: memoryEventLog(), chainId: 1, log: silentLog, metrics: startMetrics() }
    const api = await startApi({ store, ...rest, ...(cache === undefined ? {} : { cache }) })
    handler = api.handler
    stop = () => api.stop()
  })
  afterAll(async () => {
    await stop()
    await bed.drop()
  })

  /** Newest versions first and last, in parts of their own. */
  async function fill(store: Store): Promise<void> {
    const bytes = Array.from({ length: rowsCount }, (_, at) =>
      at === single ? longest : random.oneOf(lengths),
    )
    const text = (at: number) => `0x${`${10 + (at % 90)}`.repeat(bytes[at] ?? 0)}` as const
    for (const version of [2, 1]) {
      // Of a third of the rows there are two versions.
      const places = bytes.map((_, at) => at).filter((at) => version === 2 || at % 3 === 0)
      const versioned = { position: position(version), isDeleted: 0 }
      const whole = places.map((at) => {
        const place = { blockNumber: 100 + at, index: 0, hash: aHash(at + 1) }
        const amounts = { value: BigInt(at % 7), gasPrice: BigInt(at % 5), gasUsed: 1n }
        const row = aTransaction({ ...place, ...amounts, input: text(at), ...versioned })
        return { ...row, address, side: 0, fee: row.gasPrice, firstTransfers: '0x' as const }
      })
      await insertRows(store, transactionsByAddress, whole.map(withoutLongTexts))
      await insertRows(store, transactionsByValue, whole)
      await insertRows(store, transactionsByFee, whole)
      await insertRows(store, byHash, whole)
      const logs = places.map((at) => {
        const place = {
          address,
          blockNumber: 100 + at,
          logIndex: 3,
          transactionHash: aHash(at + 1),
        }
        return { ...aLog({ ...place, topics: [topic], data: text(at), ...versioned }), topic }
      })
      await insertRows(store, logsByAddress, logs)
      await insertRows(store, logsByTopic, logs)
    }
  }

  /** @returns the hashes of all items, and how many pages had fewer items than asked for */
  async function walked(path: string, parameters: Record<string, string>) {
    const hashes: Hash[] = []
    let short = 0
    let cursor: Cursor | null = null
    do {
      const query: string = new URLSearchParams({
        ...parameters,
        ...(cursor === null ? {} : sentBack(cursor, 'dropped')),
      }).toString()
      const request = { method: 'GET', path, query, headers: {}, client: '127.0.0.1' }
      let bytes = 0
      const { shown, next } = await pageAt(async () => {
        const { status, body } = await handler(request)
        bytes = body.length
        return { status, body: JSON.parse(body.toString()) }
      }, `${path}?${query}`)
      expect(shown.length, `${query}, ${seed}`).toBeGreaterThan(0)
      expect(bytes <= pageBytesMax || shown.length === 1, `${bytes} bytes, ${seed}`).toBe(true)
      if (next !== null && shown.length < Number(parameters.items_count)) short += 1
      hashes.push(...shown.map(hashOf))
      cursor = next
    } while (cursor !== null)
    return { hashes, short }
  }

  const newest = Array.from({ length: rowsCount }, (_, at) => rowsCount - 1 - at)
  const by = (amount: (at: number) => number, order: string) =>
    [...newest].sort((one, other) => (order === 'desc' ? -1 : 1) * (amount(one) - amount(other)))
  const transactions = `/api/v2/addresses/${address}/transactions`
  const logs = `/api/v2/addresses/${address}/logs`

  const lists: readonly List[] = [
    { path: transactions, parameters: {}, expected: newest },
    {
      path: transactions,
      parameters: { sort: 'block_number', order: 'asc' },
      expected: [...newest].reverse(),
    },
    ...['desc', 'asc'].flatMap((order): List[] => [
      {
        path: transactions,
        parameters: { sort: 'value', order },
        expected: by((at) => at % 7, order),
      },
      {
        path: transactions,
        parameters: { sort: 'fee', order },
        expected: by((at) => at % 5, order),
      },
    ]),
    { path: logs, parameters: {}, expected: newest },
    { path: logs, parameters: { topic }, expected: newest },
  ]

  it.each(lists)('$path $parameters: each row once, on pages within the bound', async (list) => {
    for (const items_count of ['100', '20']) {
      const { hashes, short } = await walked(list.path, { ...list.parameters, items_count })
      expect(hashes, seed).toEqual(list.expected.map((at) => aHash(at + 1)))
      expect(short, `pages that end early, ${seed}`).toBeGreaterThan(0)
    }
  })
}

function hashOf(item: unknown): Hash {
  const { hash, transaction_hash } = itemForm.parse(item)
  return asHash(hash ?? transaction_hash ?? '')
}
