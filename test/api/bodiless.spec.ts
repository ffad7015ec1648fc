import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import type { HttpRequest } from '../../libs/ports/http.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { rawExchange } from '../support/raw-exchange.ts'
import { until } from '../support/until.ts'

const kinds = {
  OPTIONS: { status: 204, headers: {}, body: Buffer.alloc(0) },
  HEAD: { status: 200, headers: { etag: '"x"' }, body: Buffer.from('not sent') },
  GET: { status: 304, headers: { etag: '"x"' }, body: Buffer.alloc(0) },
  POST: { status: 302, headers: { location: '/x' }, body: Buffer.alloc(0) },
} as const
const long = { status: 304, headers: { etag: 'x'.repeat(4_096) }, body: Buffer.alloc(0) } as const
const small = { status: 200, headers: {}, body: Buffer.alloc(16 * 1024, 'x') } as const
const methods = ['OPTIONS', 'HEAD', 'GET', 'POST'] as const
const responseOf = ({ method }: Pick<HttpRequest, 'method'>) => {
  const asked = methods.find((one) => one === method)
  if (asked !== undefined) return kinds[asked]
  return method === 'PATCH' ? long : small
}

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

async function server(isLater: boolean, bodilessMean?: number) {
  const metrics = startMetrics()
  let asked = 0
  const { port, drain, close } = await uwsServer({
    port: 0,
    log: silentLog,
    metrics,
    stopTimeoutMs: 20,
    ...(bodilessMean === undefined ? {} : { bodilessMean }),
    handler(request) {
      asked += 1
      return isLater ? setImmediate(responseOf(request)) : responseOf(request)
    },
  })
  ends.push(close)
  const open = async () => (await metrics.openConnections.get()).values[0]?.value
  return { port, asked: () => asked, open, drain }
}

const request = (method: string) => `${method} /x HTTP/1.1\r\nhost: x\r\n\r\n`
const forms = methods.flatMap((method) => [[method, false] as const, [method, true] as const])

test.each(forms)('the last %s of a connection is whole, sent later %s', async (method, isLater) => {
  const { port } = await server(isLater, 1)
  const { statuses, text } = await rawExchange(port, { pieces: [request(method)] })
  expect(statuses).toEqual([kinds[method].status])
  const lines = text.split('\r\n')
  expect(lines.filter((line) => /^connection: close$/i.test(line))).toHaveLength(1)
  expect(lines.filter((line) => /^date: /i.test(line))).toHaveLength(1)
  const lengths = { OPTIONS: [], GET: [], HEAD: ['content-length: 8'], POST: ['content-length: 0'] }
  expect(lines.filter((line) => /^content-length/i.test(line))).toEqual(lengths[method])
  expect(text.endsWith('\r\n\r\n')).toBe(true)
})

test('a request after the last response gets none, and closes its connection', async () => {
  const { port, asked, open } = await server(false, 1)
  const socket = connect(port, '127.0.0.1')
  ends.push(() => socket.destroy())
  socket.on('error', () => {})
  socket.write(request('OPTIONS'))
  expect(String((await once(socket, 'data'))[0])).toContain('HTTP/1.1 204')
  let more = ''
  socket.on('data', (bytes) => {
    more += bytes
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(request('OPTIONS'))
  await closed
  expect([more, asked(), await open()]).toEqual(['', 1, 0])
})

/** Arrives in one segment: the library closes a connection at a request line in two. */
const batch = 500
/** One connection in 10^13 gets so many responses. */
const batchesMax = 60

interface Flooded {
  readonly port: number
  readonly asked: () => number
  readonly open: () => Promise<number | undefined>
}

/** A client that reads nothing. @returns sends batches; whether the server closes the connection */
async function flooding({ port, asked, open }: Flooded) {
  const socket = connect(port, '127.0.0.1')
  ends.push(() => socket.destroy())
  socket.on('error', () => {})
  socket.pause()
  await until('it is connected', async () => (await open()) === 1)
  return async (text: string, batches = batchesMax): Promise<boolean> => {
    const before = asked()
    for (let sent = 1; sent <= batches; sent++) {
      let isOpen = true
      socket.write(text.repeat(batch))
      await until('the requests are answered, or the connection is closed', async () => {
        isOpen = (await open()) === 1
        return !isOpen || asked() === before + sent * batch
      })
      if (!isOpen) return true
    }
    return false
  }
}

test.each(methods)('a client that repeats %s and reads nothing is left', async (method) => {
  const bounded = await flooding(await server(false))
  expect(await bounded(request(method))).toBe(true)
  const unbounded = await flooding(await server(false, Number.POSITIVE_INFINITY))
  expect(await unbounded(request(method))).toBe(false)
})

test('one that repeats a small page is left, too, while the server drains', async () => {
  const draining = await server(false, Number.POSITIVE_INFINITY)
  const flood = await flooding(draining)
  // More than the buffers of the sockets take, so that nothing is sent any more.
  expect(await flood(request('PATCH'), 6)).toBe(false)
  draining.drain()
  expect(await flood(request('PUT'), 3)).toBe(true)
})
