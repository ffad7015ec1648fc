import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { changeableSettings } from '../../libs/adapters/clickhouse/changeable-settings.ts'
import { StoreUnavailable } from '../../libs/ports/store.ts'
import { transfersOfToken } from '../../libs/queries/transfers-of-token.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { RowSink } from '../../libs/tables/declare/row-binary.ts'
import { transfersByToken } from '../../libs/tables/tables/transfers.ts'
import { runOnStore } from '../../services/api/rows/run-question.ts'
import { linked, linkedRows } from '../../services/api/testing/linked-rows.ts'
import { projectorLimits } from '../../services/projector/loop/limits.ts'
import { retryingStore } from '../../services/projector/loop/retrying.ts'
import { BrokenServer, summary, text, whole } from './broken-server.ts'

// Any server answers 200: what ClickHouse says of a statement is in its summary header.

const minuteMs = 60_000
const broken = new BrokenServer()
const page = text('200 OK', '', '<html>We will be back soon</html>')
const notClickhouse = 'does not respond like ClickHouse'

describe('a result', () => {
  const wanted = 60
  const sink = new RowSink()
  let cutAt = 0
  for (let row = 0; row < wanted; row++) {
    const [first] = linkedRows.transfers_by_token
    if (first !== undefined) transfersByToken.encode(sink, { ...first, blockNumber: 1_000 - row })
    if (row === 19) cutAt = sink.size
  }
  const rows = Buffer.from(sink.bytes())
  const begun = (fields: string) => `HTTP/1.1 200 OK\r\n${fields}\r\n`
  const ended = `Connection: close\r\n${summary({ result_rows: wanted })}`
  const response = (fields: string, body: Buffer) => (socket: Socket) =>
    void socket.end(Buffer.concat([Buffer.from(begun(fields)), body]))
  const chunked = (body: Buffer) =>
    Buffer.concat([
      Buffer.from(`${body.length.toString(16)}\r\n`),
      body,
      Buffer.from('\r\n0\r\n\r\n'),
    ])
  const read = async (answer: (socket: Socket) => void) => {
    const store = await broken.serve(answer, minuteMs)
    const asked = { token: linked.token, after: null, limit: 51 }
    return await runOnStore(store)(transfersOfToken, asked, { isBehind: false })
  }

  it('that is whole has the rows that the server counted', async () => {
    expect(await read(response(ended, rows))).toHaveLength(51)
  })

  it.each([
    ['that ends with a row', ended, rows.subarray(0, cutAt), '20 of 60 rows arrived'],
    ['that ends within a row', ended, rows.subarray(0, cutAt + 9), 'the result ends within a row'],
    ['without any row', ended, Buffer.alloc(0), '0 of 60 rows arrived'],
    ['with a row twice', ended, Buffer.concat([rows, rows.subarray(0, cutAt)]), '80 of 60 rows'],
    [
      'that a proxy cuts and sends in chunks',
      `Transfer-Encoding: chunked\r\n${ended}`,
      chunked(rows.subarray(0, cutAt)),
      '20 of 60 rows arrived',
    ],
    ['without a summary', 'Connection: close\r\n', rows, 'no X-ClickHouse-Summary'],
    ['empty, without a summary', 'Content-Length: 0\r\n', Buffer.alloc(0), notClickhouse],
    [
      'whose summary is cut',
      'Connection: close\r\nX-ClickHouse-Summary: {"result_rows"\r\n',
      rows,
      'X-ClickHouse-Summary is no JSON',
    ],
    [
      'whose summary counts no rows',
      'Connection: close\r\nX-ClickHouse-Summary: {"read_rows":"1","read_bytes":"1"}\r\n',
      rows,
      'X-ClickHouse-Summary has no result_rows',
    ],
  ])('%s is unavailable, not short', async (...[, fields, body, sentence]) => {
    const error = await read(response(fields, body)).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(String(error)).toContain(sentence)
  })

  it('that nothing decodes has rows exactly if the server says so', async () => {
    const some = await broken.serve(text('200 OK', summary({ result_rows: 1 }), ''))
    await expect(some.query('SELECT 1', {})).rejects.toThrow('0 of 1 rows arrived')
  })
})

describe('any 200 without a summary', () => {
  it('acknowledges no insert', async () => {
    const store = await broken.serve(page)
    const insert = store.insert('holders', ['a'], Buffer.alloc(1_000))
    await expect(insert).rejects.toThrow(notClickhouse)
    await expect(insert).rejects.toBeInstanceOf(StoreUnavailable)
  })

  it('is no answer to a ping', async () => {
    const store = await broken.serve(page)
    await expect(store.ping()).rejects.toBeInstanceOf(StoreUnavailable)
  })

  it('does not mean that a table was created', async () => {
    const store = await broken.serve(page)
    await expect(store.execute('CREATE TABLE x (n UInt8)')).rejects.toThrow(notClickhouse)
    expect(broken.requests).toBe(1)
  })

  it('does not mean that a setting may be changed', async () => {
    await broken.serve(page)
    const asked = changeableSettings({ url: `http://127.0.0.1:${broken.port}`, database: 'x' })
    await expect(asked).rejects.toBeInstanceOf(StoreUnavailable)
  })
})

describe('an insert', () => {
  const rows = (count: number) => ({ bytes: Buffer.alloc(count), count })
  const written = (count: number) => text('200 OK', summary({ written_rows: count }), '')

  it.each([
    ['no row', 0],
    ['some of the rows', 2],
  ])('of which the server wrote %s is not acknowledged', async (_, count) => {
    const store = await broken.serve(written(count))
    const insert = store.insert('holders', ['a'], rows(3))
    await expect(insert).rejects.toThrow(`lost rows (insert into holders: ${count} of 3 rows`)
    await expect(insert).rejects.toBeInstanceOf(StoreUnavailable)
  })

  it('is acknowledged with the rows of materialized views, too', async () => {
    const store = await broken.serve(written(6))
    await store.insert('holders', ['a'], rows(3))
  })

  it('of a projector is sent again until the server has written its rows', async () => {
    const store = await broken.serve((socket, request) =>
      (request === 1 ? page : request === 2 ? written(0) : whole)(socket),
    )
    const limits = { ...projectorLimits, storeRetryMs: 1, storeRetryMaxMs: 1 }
    const signal = new AbortController().signal
    const retrying = retryingStore(store, limits, { group: 'state', log: silentLog, signal })
    await retrying.insert('holders', ['a'], rows(1))
    expect(broken.requests).toBe(3)
  })
})
