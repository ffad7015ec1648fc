import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import { type Store, StoreUnavailable } from '../../libs/ports/store.ts'

let server: Server
let store: Store
let requests = 0

/** A server that does with its n-th request what `answer` says. */
async function serve(answer: (socket: Socket, request: number) => void): Promise<Store> {
  requests = 0
  server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      requests += 1
      answer(socket, requests)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  const port = bound !== null && typeof bound === 'object' ? bound.port : 0
  store = clickhouseStore({ url: `http://127.0.0.1:${port}`, database: 'x', queryTimeoutMs: 50 })
  return store
}

afterEach(async () => {
  await store.close()
  await new Promise((resolve) => server.close(resolve))
})

const head = 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 4\r\n\r\n'
const whole = (socket: Socket) => socket.end(`${head}\u0001\u0002\u0003\u0004`)

it('a question whose socket was reset is asked once more', async () => {
  const asked = await serve((socket, request) => {
    if (request === 1) socket.resetAndDestroy()
    else whole(socket)
  })
  expect([...(await asked.query('SELECT 1', {}))]).toEqual([1, 2, 3, 4])
  expect(requests).toBe(2)
})

it('a question that is reset twice is unavailable, and not asked a third time', async () => {
  const asked = await serve((socket) => socket.resetAndDestroy())
  await expect(asked.query('SELECT 1', {})).rejects.toBeInstanceOf(StoreUnavailable)
  expect(requests).toBe(2)
})

it('a statement that is reset is not done twice', async () => {
  const asked = await serve((socket) => socket.resetAndDestroy())
  await expect(asked.execute('DROP TABLE x')).rejects.toBeInstanceOf(StoreUnavailable)
  expect(requests).toBe(1)
})

it('an answer that is cut is unavailable, not short', async () => {
  const asked = await serve((socket) => socket.end(`${head}\u0001\u0002`))
  await expect(asked.query('SELECT 1', {})).rejects.toBeInstanceOf(StoreUnavailable)
})

it('a server that does not answer is unavailable', async () => {
  const sockets: Socket[] = []
  const asked = await serve((socket) => sockets.push(socket))
  await expect(asked.query('SELECT 1', {})).rejects.toBeInstanceOf(StoreUnavailable)
  for (const socket of sockets) socket.destroy()
})
