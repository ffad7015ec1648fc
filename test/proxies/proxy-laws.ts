import { Agent, request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { HttpServer } from '../../libs/ports/http.ts'
import { viewer } from '../../services/api/docs/viewer.ts'
import type { DebianBinary } from '../support/debian-binary.ts'
import { rawExchange } from '../support/raw-exchange.ts'
import { embeddedApi, tokensPath as tokens } from './embedded-api.ts'
import { type Relay, recordingRelay } from './recording-relay.ts'
import { type ProxyName, type RunningProxy, runningProxy } from './running-proxy.ts'

const closing = 'connection: close\r\n\r\n'
const refusal = z.strictObject({ message: z.string().min(1) })

/** What the shipped configuration of a proxy has to do with an API behind it. */
export function proxyLaws(name: ProxyName, binary: DebianBinary): void {
  let api: HttpServer
  let relay: Relay
  let proxy: RunningProxy
  beforeAll(async () => {
    api = await embeddedApi()
    relay = await recordingRelay(api.port)
    proxy = await runningProxy(name, binary, { api: relay.port })
  })
  afterAll(async () => {
    await proxy.stop()
    await relay.close()
    await api.close()
  })

  const sent = (...pieces: string[]) => rawExchange(proxy.port, { pieces })
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`http://127.0.0.1:${proxy.port}${path}`, { method, headers, redirect: 'manual' })

  describe('passes on', () => {
    it('responses as the API gives them', async () => {
      for (const headers of [{ 'accept-encoding': 'identity' }, { 'accept-encoding': 'gzip' }]) {
        const [direct, through] = [
          await fetch(`http://127.0.0.1:${api.port}${tokens}`, { headers }),
          await get(tokens, headers),
        ]
        for (const field of [
          ...['etag', 'cache-control', 'vary', 'content-type', 'content-encoding'],
          ...['access-control-allow-origin', 'x-ratelimit-limit'],
        ]) {
          expect(through.headers.get(field), field).toBe(direct.headers.get(field))
        }
        expect(through.status).toBe(200)
        expect(await through.text()).toBe(await direct.text())
      }
    })

    it('tags, ids, traces and accepted types of requests', async () => {
      const etag = String((await get(tokens)).headers.get('etag'))
      const id = 'an-id-of-twenty-characters'
      const again = await get(tokens, { 'if-none-match': etag, 'x-request-id': id })
      expect([again.status, again.headers.get('x-request-id')]).toEqual([304, id])
      const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
      const traced = await get(tokens, { traceparent: `00-${trace}-00f067aa0ba902b7-01` })
      expect(traced.headers.get('x-request-id')).toBe(trace)
      expect((await get(tokens, { accept: 'text/html' })).status).toBe(406)
    })

    it('HEAD, OPTIONS and methods that the API refuses', async () => {
      const head = await get(tokens, { 'accept-encoding': 'identity' }, 'HEAD')
      expect([head.status, await head.text()]).toEqual([200, ''])
      expect(Number(head.headers.get('content-length'))).toBeGreaterThan(1_000)
      expect((await get(tokens, {}, 'OPTIONS')).status).toBe(204)
      const body = 'x'.repeat(10_000)
      const posted = await fetch(`http://127.0.0.1:${proxy.port}${tokens}`, {
        method: 'POST',
        body,
      })
      expect(posted.status).toBe(405)
    })

    it('paths and queries as they were sent', async () => {
      const target = `${tokens.replace('0x', '%30x')}/?items_count=%32&items_count=3&x=%zz`
      const { text } = await sent(`GET ${target} HTTP/1.1\r\nhost: x\r\n${closing}`)
      expect(text).toContain('"items_count":3')
      expect((await get(`${tokens}?a=${'1'.repeat(4_999)}`)).status).toBe(414)
    })

    it('the documentation and the status page, with its files', async () => {
      const ofStatus = ['/', '/api/status/status.css', '/api/status/status.js']
      const ofDocs = ['/docs', '/api/docs/openapi.json', ...viewer().files.keys()]
      for (const path of [...ofStatus, ...ofDocs]) {
        const direct = await fetch(`http://127.0.0.1:${api.port}${path}`)
        const through = await get(path)
        expect([through.status, await through.text()], path).toEqual([200, await direct.text()])
        for (const field of ['content-security-policy', 'content-type', 'cache-control', 'etag']) {
          expect(through.headers.get(field), `${path} ${field}`).toBe(direct.headers.get(field))
        }
      }
    })

    it('each event of a stream at once', async () => {
      const leaving = new AbortController()
      const url = `http://127.0.0.1:${proxy.port}/api/status/stream`
      const { body } = await fetch(url, { signal: leaving.signal })
      const reader = body?.getReader()
      // The second one comes while the response goes on.
      for (let event = 0; event < 2; event++) {
        const { value } = (await reader?.read()) ?? {}
        expect(Buffer.from(value ?? []).toString()).toMatch(/^data: \{"at":/)
      }
      leaving.abort()
    })
  })

  describe('mends what the HTTP server would refuse', () => {
    it('a request line in many segments', async () => {
      const head = `GET ${tokens} HTTP/1.1\r\nhost: x\r\n${closing}`
      expect((await sent(...head)).statuses).toEqual([200])
    })

    it('a header whose name the API does not read', async () => {
      const names = ['x_y', 'x.y', '__proto__', "!#$%&'*+^`|~"]
      const more = names.map((name) => `${name}: 1\r\n`).join('')
      const head = `GET ${tokens} HTTP/1.1\r\nhost: x\r\n${more}${closing}`
      expect((await sent(head)).statuses).toEqual([200])
    })

    it('a target with a host', async () => {
      const head = `GET http://x${tokens} HTTP/1.1\r\nhost: x\r\n${closing}`
      expect((await sent(head)).statuses).toEqual([200])
    })
  })

  it('serves HTTP/1.0, with and without Host', async () => {
    const direct = await fetch(`http://127.0.0.1:${api.port}${tokens}`)
    const body = await direct.text()
    for (const headers of ['', 'host: x\r\n', 'te: trailers\r\n']) {
      const { statuses, text } = await sent(`GET ${tokens} HTTP/1.0\r\n${headers}\r\n`)
      expect(statuses).toEqual([200])
      expect(text).toMatch(/^access-control-allow-origin: \*\r$/im)
      expect(text).not.toMatch(/^transfer-encoding/im)
      expect(text.endsWith(`\r\n\r\n${body}`)).toBe(true)
    }
    const head = await sent(`HEAD ${tokens} HTTP/1.0\r\n\r\n`)
    expect(head.statuses).toEqual([200])
    expect(head.text).toMatch(/\r\n\r\n$/)
    expect((await sent('GET /metrics HTTP/1.0\r\n\r\n')).statuses).toEqual([404])
  })

  it('hides health and metrics under every spelling', async () => {
    const spellings = [
      ...['/metrics', '//metrics', '/%6Detrics', '/metrics/', '/health/live', '/health/ready'],
      ...['/api/../metrics', '/api/%2e%2e/metrics', '/api/..%2fmetrics', '/docs/../metrics'],
      ...['/api/v2/../../metrics', '/./metrics', '/docs%2f..%2fmetrics', 'http://x/metrics'],
    ]
    for (const target of spellings) {
      const { statuses, text } = await sent(`GET ${target} HTTP/1.1\r\nhost: x\r\n${closing}`)
      expect([400, 404], `${target}: ${text.slice(0, 200)}`).toContain(statuses[0])
      expect(text).not.toContain('foldscan_')
    }
  })

  describe('answers at once', () => {
    it.each<[string, string]>([
      ...[87, 89, 92, 94, 95, 96, 97, 98, 99, 100, 150, 1_000].map((count): [string, string] => [
        `${count + 2} headers`,
        headersOf(count),
      ]),
      ['a header of 40 kB', `x: ${'a'.repeat(40_000)}\r\n`],
    ])('%s', async (_, headers) => {
      const { statuses } = await sent(`GET ${tokens} HTTP/1.1\r\nhost: x\r\n${headers}${closing}`)
      expect(statuses).toHaveLength(1)
      expect([200, 400, 431]).toContain(statuses[0])
    })

    it.each(['accept', 'if-none-match', 'x-request-id', 'cookie', 'x-other'])(
      'a control character in %s',
      async (name) => {
        const headers = `host: x\r\n${name}: a\u0001b\r\n${closing}`
        const { statuses, text } = await sent(`GET ${tokens} HTTP/1.1\r\n${headers}`)
        expect(statuses).toHaveLength(1)
        expect([200, 400]).toContain(statuses[0])
        if (statuses[0] === 400) expect(text).toContain('{"message":"Bad request"}')
      },
    )

    it('a header of 1 MB', async () => {
      const head = `GET ${tokens} HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(1_000_000)}\r\n${closing}`
      const statuses = await sent(head).then(
        (exchange) => exchange.statuses,
        // It closes while we are still sending: the reset may be faster than the response.
        (error: NodeJS.ErrnoException) => [error.code],
      )
      expect(statuses).toHaveLength(1)
      expect([400, 431, 'ECONNRESET', 'EPIPE']).toContain(statuses[0])
    })

    it('a request without Host, and one without any header', async () => {
      for (const headers of ['', 'accept: */*\r\n']) {
        const pieces = [`GET ${tokens} HTTP/1.1\r\n${headers}\r\n`]
        const { statuses } = await rawExchange(proxy.port, { pieces, isEnded: true })
        expect(statuses).toEqual([400])
      }
    })

    it.each([
      ['two lengths', 'content-length: 0\r\ncontent-length: 47\r\n'],
      ['an unknown coding', 'transfer-encoding: xchunked\r\n'],
      ['two hosts', 'host: y\r\n'],
    ])('a request with %s, by a refusal', async (_, headers) => {
      const second = 'GET /docs HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'
      const pieces = [`GET ${tokens} HTTP/1.1\r\nhost: x\r\n${headers}\r\n${second}`]
      expect((await rawExchange(proxy.port, { pieces })).statuses).toEqual([400])
    })

    it('what nobody serves, in the form of the errors of the API', async () => {
      for (const path of ['/nowhere', '/metrics']) {
        const response = await get(path)
        expect(response.status).toBe(404)
        expect(response.headers.get('access-control-allow-origin')).toBe('*')
        refusal.parse(await response.json())
      }
    })
  })

  it('ends an idle connection to the API before the API does, and goes on with another', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    expect(await statusBy(agent, proxy.port)).toBe(200)
    const idle = relay.connections.filter((connection) => connection.isOpen())
    expect(idle.length).toBeGreaterThan(0)
    const ends = await Promise.all(idle.map(({ endedBy }) => endedBy))
    expect(new Set(ends)).toEqual(new Set(['proxy']))
    expect(await statusBy(agent, proxy.port)).toBe(200)
    agent.destroy()
  })

  it('serves many clients over few connections', async () => {
    const before = relay.connections.length
    const agent = new Agent({ keepAlive: true, maxSockets: 8 })
    const statuses = await Promise.all(
      Array.from({ length: 400 }, () => statusBy(agent, proxy.port)),
    )
    agent.destroy()
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(relay.connections.length - before).toBeLessThanOrEqual(16)
  })

  it('answers 503 while the API is away, in the form of its errors', async () => {
    const alone = await runningProxy(name, binary, { api: await closedPort() })
    const response = await fetch(`http://127.0.0.1:${alone.port}${tokens}`)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    refusal.parse(await response.json())
    await alone.stop()
  })
}

const headersOf = (count: number): string =>
  Array.from({ length: count }, (_, at) => `x-${at}: 1\r\n`).join('')

/** Nobody listens there any more. */
async function closedPort(): Promise<number> {
  const server = await embeddedApi()
  await server.close()
  return server.port
}

function statusBy(agent: Agent, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const asking = httpRequest({ port, host: '127.0.0.1', path: tokens, agent }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    asking.on('error', reject)
    asking.end()
  })
}
