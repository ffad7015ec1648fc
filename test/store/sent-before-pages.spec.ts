import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import type { Store } from '../../libs/ports/store.ts'
import { type BatchReader, batch } from '../../libs/queries/reading/batch.ts'
import { until } from '../support/until.ts'

/** Node's: a request was written whole. */
const written = 'http.client.request.start'
const address = z.object({ port: z.number() })
const waiting: ServerResponse[] = []
const server = createServer((request, response) => {
  request.resume()
  response.setHeader('X-ClickHouse-Summary', JSON.stringify({ result_rows: '0' }))
  waiting.push(response)
})
let store: Store | undefined
let requests = 0
const count = () => void requests++

afterEach(async () => {
  unsubscribe(written, count)
  await store?.close()
  server.close()
})

test('the next query is written before the reads of a result continue', async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = address.parse(server.address())
  const opened = clickhouseStore({ url: `http://127.0.0.1:${port}`, database: 'x' })
  store = opened
  const reader: BatchReader = {
    async read(work) {
      // That of the API waits for a slot.
      await Promise.resolve()
      return { result: await work(opened, {}), isBehind: false }
    },
  }
  const question = batch({
    keysOf: (key: string) => [key],
    idOf: (key: string) => key,
    keysMax: 8,
    async read(asked, keys) {
      await asked.query('SELECT 1', {})
      return new Map(keys.map((key) => [key, key]))
    },
    resultOf: (found, key) => found.get(key) ?? null,
  })
  subscribe(written, count)
  const first = question.run(reader, 'a', undefined).then((found) => [found?.result, requests])
  await until('the first query', () => waiting.length === 1)
  const second = question.run(reader, 'b', undefined)
  waiting[0]?.end()
  expect(await first).toEqual(['a', 2])
  await until('the second query', () => waiting.length === 2)
  waiting[1]?.end()
  expect(await second).toEqual({ result: 'b', isBehind: false })
})
