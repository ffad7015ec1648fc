import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import type { HttpServer } from '../../libs/ports/http.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { readRows } from '../../libs/tables/declare/read-rows.ts'
import { allTables } from '../../libs/tables/tables/all-tables.ts'
import { transactions } from '../../libs/tables/tables/transactions.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { type EmbeddedServices, startEmbedded } from '../oracle/embedded-services.ts'
import { mainnetId, mainnetMessages } from '../support/mainnet-messages.ts'
import { until } from '../support/until.ts'
import { readStatus } from './status-reader.ts'

/** Real blocks: all but the last one are indexed when the page is opened. */
const numbers = [17_686_110, 17_686_111, 17_686_112]
const published = await mainnetMessages(numbers)
const lastBlock = numbers.at(-1) ?? 0

const table = z.object({ table: z.string(), rows: z.number(), bytes: z.number() })
const status = z.object({
  chain: z.object({ id: z.number() }),
  head: z.object({ block: z.number(), time: z.number() }).nullable(),
  groups: z.array(
    z.object({ group: z.string(), position: z.number(), block: z.number().nullable() }),
  ),
  blocks: z.array(z.object({ number: z.number() })),
  rates: z.object({ measured: z.number(), p99: z.number().nullable() }),
  reads: z.record(z.string(), z.number()),
  tables: z.object({ problem: z.string().nullable(), sizes: z.array(table) }),
})

let embedded: EmbeddedServices
let server: HttpServer
beforeAll(async () => {
  embedded = await startEmbedded(mainnetId)
  server = await uwsServer({ port: 0, handler: embedded.handler, log: silentLog })
})
afterAll(async () => {
  await server?.close()
  await embedded?.stop()
})

const append = (values: typeof published) =>
  embedded.eventLog.append(
    'blocks',
    values.map((value) => ({ key: `${mainnetId}`, value: encodeMessage(value) })),
  )

async function rowsIn(name: string): Promise<number> {
  const sql = `SELECT count() FROM ${name}`
  const [rows = 0] = await readRows(embedded.store, { sql }, (source) => source.uint64())
  return rows
}

test('shows a new head without being asked, and numbers that the tables have', async () => {
  const before = published.slice(0, -1)
  await append(before)
  await embedded.reached(before.length, lastBlock - 1)
  const origin = `http://127.0.0.1:${server.port}`
  const reader = await readStatus(origin)
  const seen = () => status.parse(reader.seen)
  await until('its first event', () => 'head' in reader.seen)
  expect(seen()).toMatchObject({
    chain: { id: mainnetId },
    head: { block: lastBlock - 1 },
    blocks: [{ number: lastBlock - 1 }],
  })

  await append(published.slice(-1))
  await embedded.reached(published.length, lastBlock)
  await until('the new head', () => seen().head?.block === lastBlock)
  expect(seen().blocks.map(({ number }) => number)).toEqual([lastBlock, lastBlock - 1])
  const reached = { position: published.length, block: lastBlock }
  expect(seen().groups).toEqual(
    expect.arrayContaining([
      { group: 'ledger', ...reached },
      { group: 'state', ...reached },
    ]),
  )
  reader.leave()
  await reader.ended

  // Anew: sizes are read when somebody begins to watch, and these tables do not change any more.
  const later = await readStatus(origin)
  const latest = () => status.parse(later.seen)
  const rows = new Map<string, number>()
  for (const { stored } of allTables) rows.set(stored, await rowsIn(stored))
  await until('the sizes after the last block', () => {
    if (!('head' in later.seen)) return false
    const { sizes } = latest().tables
    return sizes.length > 0 && sizes.every((size) => size.rows === rows.get(size.table))
  })
  const { tables } = latest()
  expect(tables.problem).toBeNull()
  expect(tables.sizes.map((size) => size.table)).toEqual(allTables.map(({ stored }) => stored))
  expect(tables.sizes.every((size) => size.bytes > 0 === size.rows > 0)).toBe(true)
  expect(rows.get(transactions.stored)).toBeGreaterThan(0)

  const path = `/api/v2/addresses/0x${'00'.repeat(19)}01/logs`
  const measured = latest().rates.measured
  for (let time = 0; time < 30; time++) expect((await fetch(origin + path)).status).toBe(200)
  await until('its requests are counted', () => latest().rates.measured >= measured + 30)
  const { process = 0, clickhouse = 0 } = latest().reads
  expect(process).toBeGreaterThanOrEqual(29)
  expect(clickhouse).toBeGreaterThanOrEqual(1)
  expect(latest().rates.p99).toBeGreaterThan(0)
  later.leave()
  await later.ended
})
