import { once } from 'node:events'
import { connect } from 'node:net'
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
type Method = keyof typeof kinds
const methods = ['OPTIONS', 'HEAD', 'GET', 'POST'] as const
const responseOf = ({ method }: Pick<HttpRequest, 'method'>) => {
  const asked = methods.find((one) => one === method)
  if (asked === undefined) throw new Error(`no response to ${method}`)
  return kinds[asked]
}

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

async function server(isLater: boolean, bodilessMean?: number) {
  const metrics = startMetrics()
  let asked = 0
  const { port, close } = await uwsServer({
    port: 0,
    log: silentLog,
    metrics,
    stopTimeoutMs: 20,
    ...(bodilessMean === undefined ? {} : { bodilessMean }),
    handler(request) {
      asked += 1
      return isLater ? Promise.resolve(responseOf(request)) : responseOf(request)
    },
  })
  ends.push(close)
  const open = async () => (await metrics.openConnections.get()).values[0]?.value
  return { port, asked: () => asked, open }
}

const request = (method: Method) => `${method} /x HTTP/1.1\r\nhost: x\r\n\r\n`
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
  const closed = once(socket, 'close')
  socket.write(request('OPTIONS'))
  await closed
  expect([more, asked(), await open()]).toEqual(['', 1, 0])
})

/** Arrives in one segment: the library closes a connection at a request line in two. */
const batch = 1_000
/** One connection in 10^13 gets so many responses. */
const batchesMax = 30

test.each(forms)(
  'a client that repeats %s and reads nothing is left, sent later %s',
  async (method, isLater) => {
    const { port, asked, open } = await server(isLater)
    const socket = connect(port, '127.0.0.1')
    ends.push(() => socket.destroy())
    socket.on('error', () => {})
    socket.pause()
    await until('it is connected', async () => (await open()) === 1)
    let isOpen = true
    for (let batches = 1; batches <= batchesMax && isOpen; batches++) {
      socket.write(request(method).repeat(batch))
      await until('the requests are answered, or the connection is closed', async () => {
        isOpen = (await open()) === 1
        return !isOpen || asked() === batches * batch
      })
    }
    expect(isOpen).toBe(false)
  },
)
