import { afterAll, beforeAll, expect, test } from 'vitest'
import { anAddress } from '../../libs/presenters/testing/rows.ts'
import { viewer } from '../../services/api/docs/viewer.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { rawExchange } from '../support/raw-exchange.ts'
import { served } from './served.ts'

/**
 * What the HTTP library decides by itself, before the API sees a request. None of it can be set.
 * Where a newer library changes one of these, deploy/README.md changes too.
 */

const path = `/api/v2/addresses/${anAddress(0xa1)}/tokens`
let api: Awaited<ReturnType<typeof served>>

beforeAll(async () => {
  api = await served()
})
afterAll(() => api.server.close())

const sent = (...pieces: string[]) => rawExchange(api.server.port, { pieces })
const closing = 'connection: close\r\n\r\n'

test.each([
  ['HTTP/1.0', `GET ${path} HTTP/1.0\r\nhost: x\r\n${closing}`],
  ['the first segment of a request line', 'GET /api/v2'],
  ['a target with a host', `GET http://x${path} HTTP/1.1\r\nhost: x\r\n${closing}`],
])('answers 505 to %s', async (_, request) => {
  expect((await sent(request)).statuses).toEqual([505])
})

test('takes headers in any number of segments', async () => {
  const head = `GET ${path} HTTP/1.1\r\nhost: x\r\n${closing}`
  const line = head.indexOf('\n') + 1
  expect((await sent(head.slice(0, line), ...head.slice(line))).statuses).toEqual([200])
})

test.each([
  [15 * 1024, 200],
  [17 * 1024, 431],
  [200 * 1024, 431],
  [1024 * 1024, 431],
])('answers a header of %i bytes by %i', async (bytes, status) => {
  const head = `GET ${path} HTTP/1.1\r\nhost: x\r\naccept: */*,${'a'.repeat(bytes)}\r\n${closing}`
  expect((await sent(head)).statuses).toEqual([status])
})

test('answers 400 without Host', async () => {
  expect((await sent(`GET ${path} HTTP/1.1\r\n${closing}`)).statuses).toEqual([400])
})

test.each([
  ['two hosts', 'host: y\r\n', 1],
  ['an unknown coding', 'transfer-encoding: xchunked\r\n', 1],
  ['two lengths: the first one counts', 'content-length: 0\r\ncontent-length: 90\r\n', 2],
])('does not refuse %s', async (_, headers, responses) => {
  const second = `GET /docs HTTP/1.1\r\nhost: x\r\n${closing}`
  const first = `GET ${path} HTTP/1.1\r\nhost: x\r\n${headers}`
  const pieces = [responses === 2 ? `${first}\r\n${second}` : `${first}${closing}`]
  const { text } = await rawExchange(api.server.port, { pieces })
  expect(text.split('HTTP/1.1 200 OK')).toHaveLength(responses + 1)
})

test('closes what it does not understand and what is idle without a word', async () => {
  const many = Array.from({ length: 98 }, (_, at) => `x-${at}: 1\r\n`).join('')
  const silent = [
    `GET ${path} HTTP/1.1\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\nhost: x\r\n${many}${closing}`,
    `GET ${path} HTTP/1.1\r\nhost: x\r\nx_y: 1\r\n${closing}`,
    `GET ${path} HTTP/1.1\r\nhost: x\r\nx.y: 1\r\n${closing}`,
    `GET ${path} HTTP/1.1\r\nho`,
    '',
  ]
  const kept = `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`
  const ends = await Promise.all([...silent, kept].map((request) => sent(request)))
  expect(ends.map(({ statuses }) => statuses)).toEqual([...silent.map(() => []), [200]])
})

test('closes at once where a client ends its side before the response', async () => {
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow = await served({ balancesOfAddress: () => gate.then(() => []) })
  const ended = (target: string) => {
    const head = `GET ${target} HTTP/1.1\r\nhost: x\r\n\r\n`
    return rawExchange(slow.server.port, { pieces: [head], isEnded: true })
  }
  expect((await ended(path)).statuses).toEqual([])
  expect((await ended('/docs')).statuses).toEqual([200])
  release()
  await slow.server.close()
})

test('cuts a body of which a socket has taken a part where the next request is there', async () => {
  const files = [...viewer().files.keys()]
  const largest = files.find((file) => file.endsWith('bundle.js'))
  const request = `GET ${largest} HTTP/1.1\r\nhost: x\r\n\r\n`
  const connection = new RawConnection(api.server.port)
  // More than the buffers of both sockets take before a byte is read.
  const expected = Array.from({ length: 16 }, () => connection.expect(false))
  connection.socket.write(request.repeat(expected.length))
  const outcomes = await Promise.all(expected)
  const cut = outcomes.indexOf('cut')
  expect(cut).toBeGreaterThan(0)
  for (const whole of outcomes.slice(0, cut)) expect(whole).toMatchObject({ status: 200 })
  expect(outcomes.slice(cut + 1)).toEqual(outcomes.slice(cut + 1).map(() => 'none'))
})
