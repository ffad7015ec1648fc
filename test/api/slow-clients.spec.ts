import { once } from 'node:events'
import { connect, Socket } from 'node:net'
import { expect, test } from 'vitest'
import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import { aHash, anAddress, aTransaction } from '../../libs/presenters/testing/rows.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { until } from '../support/until.ts'
import { privateMiB, watchMemory } from '../support/watch-memory.ts'
import { served } from './served.ts'

const mib = 1024 * 1024
const unsentBytesMax = 16 * mib
const page = (number: number) => `/api/v2/addresses/${anAddress(0xa000 + number)}/transactions`
/** One fills a page of 6 MiB; the buffers of a connection take 4 MiB of it (`tcp_wmem`). */
const input = `0x${'00'.repeat(3 * mib)}` as const
const large = Array.from({ length: 2 }, (_, at) => aTransaction({ hash: aHash(at + 1), input }))

/** No page is cached. */
const limits = { pageCacheBytesMax: 1 }
const answers = {
  transactionsOfAddress: async ({ address }: { address: string }) =>
    address === anAddress(0xa000) ? [] : large,
}

async function unsentBytes(counted: () => Promise<string>): Promise<number> {
  const [, bytes] = /^foldscan_unsent_bytes (\d+)/m.exec(await counted()) ?? []
  return Number(bytes)
}

/** Compressed, these pages would be small. */
const asked = (origin: string, number: number) =>
  fetch(origin + page(number), { headers: { 'accept-encoding': 'identity' } })

/** A client that sends its request and reads nothing. */
async function slowClient(port: number, path: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
  return socket
}

test('slow clients take a bounded part of memory, and others get 503 and small pages', async () => {
  const api = await served(answers, limits, { unsentBytesMax, slowAfterMs: 3_600_000 })
  const answered = async () => {
    const counts = [...(await api.counted()).matchAll(/^foldscan_requests_total\{.*\} (\d+)/gm)]
    return counts.reduce((sum, [, count]) => sum + Number(count), 0)
  }
  await (await asked(api.origin, 0)).arrayBuffer()
  const before = privateMiB(process.pid)
  const watched = watchMemory(process.pid)
  const clients: Socket[] = []
  const add = async () => {
    clients.push(await slowClient(api.server.port, page(clients.length + 1)))
    const count = clients.length
    await until('it has been answered', async () => (await answered()) > count)
    expect(await unsentBytes(api.counted)).toBeLessThanOrEqual(unsentBytesMax)
  }
  // Together they ask for 600 MiB.
  for (let number = 1; number <= 100; number++) await add()
  expect(watched.end() - before, 'MiB').toBeLessThan(250)
  const log = await api.counted()
  expect(log).toMatch(/foldscan_unavailable_total\{reason="too many unsent bytes"\} [1-9]/)

  // The server itself leaves who takes nothing for ten seconds; so until there is no room.
  let refused: Response
  do {
    await add()
    refused = await asked(api.origin, 300)
    await refused.arrayBuffer()
    // It is answered, too.
    clients.push(new Socket())
  } while (refused.status === 200)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect((await asked(api.origin, 0)).status).toBe(200)
  for (const client of clients) client.destroy()
  await until('what they left is free', async () => (await unsentBytes(api.counted)) === 0)
  expect((await asked(api.origin, 300)).status).toBe(200)
  await api.server.close()
})

test('slow clients of a cached page count until they leave', async () => {
  const api = await served(
    answers,
    { pageCacheBytesMax: 64 * mib },
    { unsentBytesMax, slowAfterMs: 3_600_000 },
  )
  for (let time = 0; time < 3; time++) await (await asked(api.origin, 1)).arrayBuffer()
  const clients = [
    await slowClient(api.server.port, page(1)),
    await slowClient(api.server.port, page(1)),
  ]
  await until('they do not take it', async () => (await unsentBytes(api.counted)) > 0)
  expect((await asked(api.origin, 1)).status).toBe(200)
  for (const client of clients) client.destroy()
  await until('what they left is free', async () => (await unsentBytes(api.counted)) === 0)
  await api.server.close()
})

test('slow clients lose their connections to those who take their pages', async () => {
  const api = await served(answers, limits, { unsentBytesMax, slowAfterMs: 0 })
  const clients: Socket[] = []
  for (let number = 1; number <= 30; number++) {
    clients.push(await slowClient(api.server.port, page(number)))
  }
  for (let number = 100; number < 110; number++) {
    const response = await asked(api.origin, number)
    expect(response.status).toBe(200)
    const { items } = JSON.parse(await response.text())
    expect(items).toHaveLength(1)
  }
  expect(await api.counted()).toMatch(/foldscan_slow_clients_total [1-9]/)
  for (const client of clients) client.destroy()
  await api.server.close()
})

test('a client that requests a small page many times and reads nothing is disconnected', async () => {
  const body = Buffer.alloc(10_000, ' ')
  let requests = 0
  const handler = () => {
    requests += 1
    return { status: 200, headers: {}, body }
  }
  const metrics = startMetrics()
  const server = await uwsServer({ port: 0, log: silentLog, handler, metrics })
  const open = async () => (await metrics.openConnections.get()).values[0]?.value
  const socket = connect(server.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  await once(socket, 'connect')
  const before = privateMiB(process.pid)
  const watched = watchMemory(process.pid)
  // Their responses have 200 MiB, of which the buffers of the connection take some.
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(20_000))
  await until('it is disconnected', async () => requests > 0 && (await open()) === 0)
  expect(watched.end() - before, 'MiB').toBeLessThan(40)
  socket.destroy()
  await server.close()
})
