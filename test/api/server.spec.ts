import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import { type HttpRequest, type HttpResponse, headerOf } from '../../libs/ports/http.ts'
import { aBalance, anAddress } from '../../libs/presenters/testing/rows.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { ClientAddresses } from '../../services/api/request/limits/client-address.ts'
import { exchanged, served } from './served.ts'

const rows = Array.from({ length: 50 }, (_, at) => aBalance({ ordinal: at + 1 }))
const tokens = `/api/v2/addresses/${anAddress(0xa1)}/tokens`
let api: Awaited<ReturnType<typeof served>>

beforeAll(async () => {
  // By chance a response without a body closes its connection, on which others are expected.
  api = await served({ balancesOfAddress: async () => rows }, {}, { bodilessMean: 1e12 })
})
afterAll(() => api.server.close())

const closing = 'host: x\r\nconnection: close\r\n\r\n'
const raw = (head: string) => exchanged(api.server.port, `${head} HTTP/1.1\r\n${closing}`)

test('answers a page with its headers, compressed if asked', async () => {
  const plain = await fetch(api.origin + tokens, { headers: { 'accept-encoding': 'identity' } })
  expect(plain.status).toBe(200)
  expect(plain.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(plain.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate')
  expect(plain.headers.get('access-control-allow-origin')).toBe('*')
  const text = await plain.text()
  const sent = await exchanged(
    api.server.port,
    `GET ${tokens} HTTP/1.1\r\naccept-encoding: gzip\r\n${closing}`,
  )
  const [head = '', ...body] = sent.split('\r\n\r\n')
  expect(head.toLowerCase()).toContain('content-encoding: gzip')
  expect(gunzipSync(Buffer.from(body.join('\r\n\r\n'), 'latin1')).toString()).toBe(text)
})

test('answers HEAD with the length of the body it leaves out, and the next one after it', async () => {
  const headers = { 'accept-encoding': 'identity' }
  const get = await fetch(api.origin + tokens, { headers })
  const body = await get.arrayBuffer()
  for (let times = 0; times < 3; times++) {
    const head = await fetch(api.origin + tokens, { method: 'HEAD', headers })
    expect(head.headers.get('content-length')).toBe(String(body.byteLength))
    expect(await head.text()).toBe('')
  }
})

test('answers 304 and 204 without a body, and goes on serving the connection', async () => {
  const first = await fetch(api.origin + tokens)
  await first.arrayBuffer()
  const etag = String(first.headers.get('etag'))
  const twice = await exchanged(
    api.server.port,
    `GET ${tokens} HTTP/1.1\r\nhost: x\r\nif-none-match: ${etag}\r\n\r\n` +
      `OPTIONS ${tokens} HTTP/1.1\r\n${closing}`,
  )
  expect(twice).toMatch(/^HTTP\/1.1 304 Not Modified/)
  expect(twice).toMatch(/\r\n\r\nHTTP\/1.1 204 No Content/)
  expect(twice).not.toMatch(/content-length/i)
})

test('hands on path and query as they were sent', async () => {
  const target = `${tokens.replace('0x', '%30x')}/?items_count=%32&items_count=3&x=%zz`
  expect(await raw(`GET ${target}`)).toContain('"items_count":3')
})

const answering = (respond: (request: HttpRequest) => HttpResponse, when: string) =>
  uwsServer({
    port: 0,
    log: silentLog,
    handler: (request) =>
      when === 'at once'
        ? respond(request)
        : new Promise((resolve) => setImmediate(() => resolve(respond(request)))),
  })

test.each(['at once', 'later'])(
  'joins the lines of X-Forwarded-For in their order, read %s',
  async (when) => {
    const addresses = new ClientAddresses(['127.0.0.1', '10.0.0.0/8'])
    const respond = (request: HttpRequest): HttpResponse => {
      // First of all: a header alone is read in another way than all of them.
      const client = addresses.of(request)
      const { 'x-any': one = '', 'x-forwarded-for': chain } = request.headers
      return { status: 200, headers: { 'x-any': one }, body: Buffer.from(`${chain} is ${client}`) }
    }
    const server = await answering(respond, when)
    const lines = [
      'x-forwarded-for: 198.51.100.1',
      'x-any: one',
      'X-Forwarded-For: 203.0.113.9, 10.2.2.2',
      'x-any: other',
      'x-forwarded-for: 10.3.3.3',
    ]
    const head = `GET / HTTP/1.1\r\n${lines.join('\r\n')}\r\n${closing}`
    const sent = await exchanged(server.port, head)
    await server.close()
    expect(sent).toMatch(/\r\nx-any: one\r\n/)
    expect(sent.endsWith('198.51.100.1,203.0.113.9, 10.2.2.2,10.3.3.3 is 203.0.113.9')).toBe(true)
  },
)

test.each([
  ['accept', ['text/html', 'application/json'], 200],
  ['accept', ['text/html', 'text/plain'], 406],
  ['if-none-match', ['"x"', 'ETAG'], 304],
  ['accept-encoding', ['br', 'gzip'], 200],
])('reads the lines of %s as one list: %j', async (name, values, status) => {
  const { headers } = await fetch(api.origin + tokens, { method: 'HEAD' })
  const etag = headers.get('etag') ?? ''
  const lines = values.map((value) => `${name}: ${value.replace('ETAG', etag)}\r\n`).join('')
  // Loaded first, then from the cache.
  for (let times = 0; times < 3; times++) {
    const sent = await exchanged(api.server.port, `GET ${tokens} HTTP/1.1\r\n${lines}${closing}`)
    expect(sent).toContain(`HTTP/1.1 ${status} `)
    const isEncoded = name === 'accept-encoding'
    expect(/^content-encoding: gzip\r$/im.test(sent)).toBe(isEncoded)
  }
})

test.each(['at once', 'later'])('hands on all headers, %s', async (when) => {
  const names = ['accept', 'if-none-match', 'x-api-key', 'x-any']
  const respond = (request: HttpRequest): HttpResponse => {
    const one = names.map((name) => headerOf(request, name))
    const body = { one, all: request.headers }
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)) }
  }
  const server = await answering(respond, when)
  const sent = names.map((name) => [name, `value of ${name}`] as const)
  const lines = [...sent.map(([name, value]) => `${name.toUpperCase()}: ${value}`), 'x-any: again']
  const head = `GET / HTTP/1.1\r\n${lines.join('\r\n')}\r\n${closing}`
  const received = JSON.parse((await exchanged(server.port, head)).split('\r\n\r\n')[1] ?? '')
  await server.close()
  expect(received.one).toEqual(sent.map(([, value]) => value))
  expect(received.all).toMatchObject(Object.fromEntries(sent))
})

test('refuses other methods whatever they send', async () => {
  const posted = await fetch(api.origin + tokens, { method: 'POST', body: 'x'.repeat(100_000) })
  expect(posted.status).toBe(405)
  expect(posted.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
})

test('lives on when clients leave before they are answered', async () => {
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow = await served({ balancesOfAddress: () => gate.then(() => rows) })
  const leaving = new AbortController()
  const left = fetch(slow.origin + tokens, { signal: leaving.signal }).catch(() => 'left')
  const stayed = fetch(`${slow.origin}${tokens}?items_count=9`)
  leaving.abort()
  expect(await left).toBe('left')
  release()
  expect((await stayed).status).toBe(200)
  await slow.server.close()
})

test('reports in one sentence that its port is taken', async () => {
  const { port } = api.server
  const second = uwsServer({ port, handler: api.handler, log: silentLog })
  await expect(second).rejects.toThrow(`cannot listen on 127.0.0.1:${port}: the port is in use`)
})

test('reports that an address is not one of this machine', async () => {
  const second = uwsServer({ host: '192.0.2.1', port: 0, handler: api.handler, log: silentLog })
  await expect(second).rejects.toThrow(/192\.0\.2\.1:0: this machine does not have that address/)
})

test('answers what is being asked before it closes, and nothing afterwards', async () => {
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  let arrived = () => {}
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const ending = await served({
    balancesOfAddress() {
      arrived()
      return gate.then(() => rows)
    },
  })
  const asked = fetch(ending.origin + tokens)
  await arrival
  const closed = ending.server.close()
  release()
  expect((await asked).status).toBe(200)
  await closed
  await expect(fetch(ending.origin + tokens)).rejects.toThrow()
})

test('calls a listener of a client that has left before, too', async () => {
  let calls = 0
  let heard = () => {}
  const leaving = new Promise<void>((resolve) => {
    heard = resolve
  })
  const server = await uwsServer({
    port: 0,
    log: silentLog,
    async handler(request) {
      await new Promise<void>((resolve) => request.onGone?.(resolve))
      request.onGone?.(() => {
        calls += 1
      })
      heard()
      return { status: 200, headers: {}, body: Buffer.alloc(0) }
    },
  })
  const socket = connect(server.port, '127.0.0.1', () => {
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n', () => socket.destroy())
  })
  await leaving
  await server.close()
  expect(calls).toBe(1)
})
