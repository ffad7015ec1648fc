import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import type { OnStream, ResponseStream } from '../../libs/ports/http.ts'
import { silentLog } from '../../libs/signals/log.ts'
import type { StatusStreamLimits } from '../../services/api/status/status-streams.ts'
import { until } from '../support/until.ts'
import { privateMiB, watchMemory } from '../support/watch-memory.ts'
import { served } from './served.ts'
import { readStatus } from './status-reader.ts'

const path = '/api/status/stream'
const mib = 1024 * 1024
const opened: (() => Promise<void>)[] = []

async function servedApi(limits: Partial<StatusStreamLimits> = {}) {
  const api = await served({}, { status: { everyMs: 10, ...limits } })
  opened.push(() => api.server.close())
  const announce = (at: number) => {
    for (const group of ['ledger', 'state'] as const) api.announce(group, at)
  }
  return { ...api, announce }
}

afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

const statusOf = async (origin: string) => {
  const leaving = new AbortController()
  const { status } = await fetch(origin + path, { signal: leaving.signal })
  leaving.abort()
  return status
}

test('a stream shows each new head, while the api answers others', async () => {
  const api = await servedApi()
  const { response, seen, leave, ended } = await readStatus(api.origin)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  await until('its first event', () => seen.head === null)
  for (const at of [1, 2, 3]) {
    api.announce(at)
    await until('the new head', () => JSON.stringify(seen.head).includes(`"block":${100 + at}`))
    expect((await fetch(`${api.origin}/docs`)).status).toBe(200)
  }
  leave()
  await ended
})

test('clients that leave give their places back', async () => {
  const api = await servedApi({ streamsMax: 2 })
  const two = [await readStatus(api.origin), await readStatus(api.origin)]
  const refused = await fetch(api.origin + path)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  for (const { leave } of two) leave()
  await until('there is a place', async () => (await statusOf(api.origin)) === 200)
})

test('a stream ends after its life, and its client may open the next', async () => {
  const api = await servedApi({ lifeMsMax: 1 })
  const { ended, seen } = await readStatus(api.origin)
  await ended
  expect(seen).toHaveProperty('at')
  expect(await statusOf(api.origin)).toBe(200)
})

test('of a stream that nobody reads, memory holds a chunk, and its end is at once', async () => {
  const chunk = Buffer.alloc(mib, ' ')
  const streams: ResponseStream[] = []
  let hasEnded = false
  const stream: OnStream = (begun) => {
    streams.push(begun)
    begun.onEnd(() => {
      hasEnded = true
    })
  }
  const handler = () => ({ status: 200, headers: {}, body: Buffer.alloc(0), stream })
  const server = await uwsServer({ port: 0, log: silentLog, handler })
  opened.push(() => server.close())
  const socket = connect(server.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await until('the stream has begun', () => streams.length === 1)
  const [begun] = streams
  const before = privateMiB(process.pid)
  const watched = watchMemory(process.pid)
  let sent = 0
  for (let time = 0; time < 400; time++) {
    if (begun?.send(chunk)) sent += 1
    await new Promise((resolve) => setImmediate(resolve))
  }
  // What the buffers of both sockets take.
  expect(sent).toBeGreaterThan(0)
  expect(sent).toBeLessThan(40)
  expect(watched.end() - before, 'MiB').toBeLessThan(40)
  begun?.end()
  expect([hasEnded, begun?.send(chunk)]).toEqual([true, false])
  const closed = once(socket, 'close')
  socket.resume()
  await closed
})

test('draining ends the streams, and closing does not wait for them', async () => {
  const api = await servedApi()
  const draining = await readStatus(api.origin)
  await until('it reads', () => 'at' in draining.seen)
  api.server.drain()
  await draining.ended
  // Its client comes again before it knows another server.
  const late = await readStatus(api.origin)
  await late.ended
  expect(late.response.status).toBe(200)
  const other = await servedApi()
  const open = await readStatus(other.origin)
  await until('it reads', () => 'at' in open.seen)
  await other.server.close()
  await open.ended
})

test('HEAD opens no stream', async () => {
  const api = await servedApi({ streamsMax: 1 })
  for (let time = 0; time < 3; time++) {
    const { status } = await fetch(api.origin + path, { method: 'HEAD' })
    expect(status).toBe(200)
  }
  expect(await statusOf(api.origin)).toBe(200)
})
