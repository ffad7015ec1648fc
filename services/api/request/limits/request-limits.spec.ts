import { describe, expect, it } from 'vitest'
import type { HttpResponse } from '../../../../libs/ports/http.ts'
import { memoryEventLog } from '../../../../libs/ports/testing/memory-event-log.ts'
import type { Log, LogFields } from '../../../../libs/signals/log.ts'
import { startMetrics } from '../../../../libs/signals/metrics.ts'
import { hashOfKey, newKey } from '../../../../libs/topics/api-keys.ts'
import { encodeMessage } from '../../../../libs/topics/codec.ts'
import type { RunQuestion } from '../../rows/run-question.ts'
import { testApi } from '../../testing/test-api.ts'
import { requestsPerBatch } from './client-counts.ts'
import { type RequestLimitSettings, startRequestLimits } from './request-limits.ts'
import { CountsInMemory } from './testing/counts-in-memory.ts'

const page = '/api/v2/tokens/0x000000000000000000000000000000000000c0de'

interface Key {
  readonly name: string
  readonly hash: string | null
  readonly limit: number
}

/** An api with limits, its keys in a log, and what it logs. */
async function limitedApi(changes: Partial<RequestLimitSettings> = {}) {
  const eventLog = memoryEventLog()
  const lines: { fields: LogFields; sentence: string }[] = []
  const write = (fields: LogFields, sentence: string) => void lines.push({ fields, sentence })
  const log: Log = { debug: write, info: write, warn: write, error: write, fatal: write }
  const publish = (key: Key) =>
    eventLog.append('api-keys', [{ key: key.name, value: encodeMessage({ time: 1, ...key }) }])
  const settings: RequestLimitSettings = {
    requests: 3,
    windowMs: 3_600_000,
    clientsMax: 1_000,
    trustedProxies: [],
    shared: null,
    ...changes,
  }
  const stopping = new AbortController()
  const metrics = startMetrics()
  const started = await startRequestLimits({
    ...{ settings, eventLog, log, metrics, signal: stopping.signal },
  })
  const asked: string[] = []
  const run: RunQuestion = async () => {
    asked.push('a question')
    throw new Error('the store is not asked in this spec')
  }
  const { ask, handler } = testApi(run, { log, requestLimits: started.limits })
  const stop = () => {
    stopping.abort()
    return started.following
  }
  const scraped = () => metrics.registry.metrics()
  const { limits } = started
  return { ask, asked, eventLog, handler, publish, lines, stop, scraped, limits }
}

const get = '/docs'
const request = { method: 'GET', path: get, query: '', headers: {}, client: '127.0.0.1' }
const rates = ({ headers }: { headers: Readonly<Record<string, string>> }) =>
  ['limit', 'remaining'].map((name) => headers[`x-ratelimit-${name}`]).join('/')

/** The prepared headers, as a client reads them. */
function written({ prepared }: HttpResponse): Record<string, string> {
  if (prepared === undefined) throw new Error('a response without prepared headers')
  const lines = `${prepared.first.toString('latin1')}: ${prepared.rest}`.split('\r\n')
  return Object.fromEntries(lines.map((line) => line.split(/: (.*)/)))
}

/** CORS shows a script these without being asked; the rest only the browser itself reads. */
const readAnyway = [
  ...['cache-control', 'content-type', 'vary', 'x-content-type-options'],
  ...['content-security-policy', 'referrer-policy'],
]
const isReadAnyway = (name: string) =>
  readAnyway.includes(name) || name.startsWith('access-control-')

// Decision 18.
describe('a client over its limit', () => {
  it('do not apply to what the process asks itself', async () => {
    const { ask, stop } = await limitedApi()
    for (let times = 0; times < 5; times++) {
      const { status, headers } = await ask(get, { isOwn: true })
      expect(status).toBe(200)
      expect(headers['x-ratelimit-limit']).toBe('-1')
    }
    await stop()
  })

  it('gets 429 with the headers of the limit, and nothing else is done', async () => {
    const { ask, asked } = await limitedApi()
    for (const remaining of [2, 1, 0]) {
      const response = await ask(get)
      expect(response.status).toBe(200)
      expect(rates(response)).toBe(`3/${remaining}`)
      expect(Number(response.headers['x-ratelimit-reset'])).toBeGreaterThan(0)
      expect(response.headers['bypass-429-option']).toBe('no_bypass')
    }
    const refused = await ask(page)
    expect(refused.status).toBe(429)
    expect(JSON.parse(refused.body.toString())).toEqual({ message: 'Too many requests' })
    expect(refused.headers).toMatchObject({
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '0',
      'bypass-429-option': 'no_bypass',
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
    })
    const { 'retry-after': seconds, 'x-ratelimit-reset': reset } = refused.headers
    expect(Number(seconds)).toBe(Math.ceil(Number(reset) / 1_000))
    expect(asked).toEqual([])
  })

  it('writes the headers that it reports, with and without a limit', async () => {
    const limited = await limitedApi({ requests: 1 })
    const responses = await Promise.all(
      [limited, limited, testApi()].map(({ handler }) => handler(request)),
    )
    expect(responses.map(({ status }) => status)).toEqual([200, 429, 200])
    for (const response of responses) expect(written(response)).toEqual(response.headers)
  })

  it('lets browsers read every header that limits add', async () => {
    const { ask } = await limitedApi({ requests: 1 })
    const headers = { 'x-api-key': newKey() }
    const [admitted, refused] = [await ask(get, { headers }), await ask(get, { headers })]
    expect([admitted.status, refused.status]).toEqual([200, 429])
    for (const response of [admitted, refused]) {
      const exposed = response.headers['access-control-expose-headers']?.split(',') ?? []
      const added = Object.keys(response.headers).filter((name) => !isReadAnyway(name))
      expect(added).toContain('x-ratelimit-reset')
      expect(added.filter((name) => !exposed.includes(name))).toEqual([])
    }
  })

  it('is counted for every path and status but for OPTIONS, and other clients are not', async () => {
    const { ask } = await limitedApi()
    const paths = ['/api/v2/nothing', '/api/docs/openapi.json', `${page}?items_count=x`]
    for (const path of paths) await ask(path)
    expect((await ask(get)).status).toBe(429)
    expect((await ask(get, { method: 'HEAD' })).status).toBe(429)
    expect((await ask(get, { method: 'OPTIONS' })).status).toBe(204)
    expect((await ask(get, { client: '127.0.0.2' })).status).toBe(200)
  })

  it('stays over it with any header or key that it makes up', async () => {
    const { ask, scraped } = await limitedApi({ trustedProxies: ['10.0.0.0/8'] })
    for (let n = 0; n < 3; n++) await ask(get, { client: '203.0.113.9' })
    for (let n = 0; n < 300; n++) {
      const headers = { 'x-forwarded-for': `198.51.100.${n}`, 'x-api-key': newKey() }
      const direct = await ask(`${get}?apikey=${newKey()}`, { client: '203.0.113.9', headers })
      expect(direct.status).toBe(429)
      const forged = { 'x-forwarded-for': `198.51.100.${n}, 203.0.113.9` }
      expect((await ask(get, { client: '10.0.0.1', headers: forged })).status).toBe(429)
    }
    expect(await scraped()).toContain('foldscan_requests_over_limit_total{reason="address"} 600')
    expect(await scraped()).toContain('{reason="unknown key"} 300')
  })

  it('is one, behind all addresses of its IPv6 network', async () => {
    const { ask } = await limitedApi()
    const statuses = []
    for (let n = 0; n < 10; n++) {
      statuses.push((await ask(get, { client: `2001:db8:1:2:${n}::${n}` })).status)
    }
    expect(statuses.filter((status) => status === 200).length).toBe(3)
  })

  it('fills no memory with addresses and keys that it invents', async () => {
    const { limits } = await limitedApi({ clientsMax: 500 })
    const request = { query: '', headers: {} }
    for (let n = 0; n < 20_000; n++) {
      const client = `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`
      void limits.check({ ...request, client })
      void limits.check({ ...request, client, headers: { 'x-api-key': newKey() } })
    }
    expect(limits.clients).toBeLessThanOrEqual(500 + 1_024)
  })
})

// Decision 18.
describe('an API key', () => {
  const key = newKey()
  const hash = hashOfKey(key)

  it('has a limit of its own, from any address, as header or parameter', async () => {
    const { ask, publish, stop } = await limitedApi()
    await publish({ name: 'one', hash, limit: 5 })
    await until(async () => rates(await ask(get, { headers: { 'x-api-key': key } })) === '5/4')
    const forms = [
      () => ask(get, { headers: { 'x-api-key': key } }),
      () => ask(`${get}?apikey=${key}`, { client: '203.0.113.1' }),
      () => ask(`${get}?a=b&apikey=x&apikey=${key}&c=d`),
      () => ask(`${get}?apikey=${key.replace('_', '%5F')}`),
    ]
    for (const [at, form] of forms.entries()) expect(rates(await form())).toBe(`5/${3 - at}`)
    expect((await ask(`${get}?apikey=${key}`)).status).toBe(429)
    expect((await ask(get)).status).toBe(200)
    await stop()
  })

  it('that is unknown or blank gives no bypass; one that is unknown is reported', async () => {
    const { ask } = await limitedApi()
    expect((await ask(get, { headers: { 'x-api-key': ' ' } })).headers).not.toHaveProperty(
      'x-api-key-status',
    )
    const unknown = await ask(get, { headers: { 'x-api-key': newKey() } })
    expect(rates(unknown)).toBe('3/1')
    expect(unknown.headers['x-api-key-status']).toBe('unknown')
    expect(rates(await ask(`${get}?apikey=`))).toBe('3/0')
  })

  it('that is revoked, or replaced under its name, is unknown from then on', async () => {
    const { ask, publish, stop } = await limitedApi({ requests: 1_000_000 })
    const isKnown = async (sent: string) =>
      rates(await ask(get, { headers: { 'x-api-key': sent } })).startsWith('50/')
    const other = newKey()
    await publish({ name: 'one', hash, limit: 50 })
    await until(() => isKnown(key))
    await publish({ name: 'one', hash: hashOfKey(other), limit: 50 })
    await until(() => isKnown(other))
    expect(await isKnown(key)).toBe(false)
    await publish({ name: 'one', hash: null, limit: 50 })
    await until(async () => !(await isKnown(other)))
    await stop()
  })

  it('is in no log line, metric, response header or body', async () => {
    const { ask, publish, lines, scraped, stop } = await limitedApi()
    await publish({ name: 'one', hash, limit: 50 })
    const unknown = newKey()
    const seen: string[] = []
    for (const sent of [key, unknown]) {
      for (const target of [
        `${page}?apikey=${sent}`,
        `${get}?apikey=${sent}`,
        `/no?apikey=${sent}`,
      ]) {
        const { headers, body } = await ask(target, { headers: { 'x-api-key': sent } })
        seen.push(JSON.stringify(headers), body.toString())
      }
    }
    const all = [...seen, JSON.stringify(lines), await scraped()].join('\n')
    for (const secret of [key, unknown]) expect(all.includes(secret)).toBe(false)
    await stop()
  })

  it('that cannot be read is left out, with a warning', async () => {
    const { ask, eventLog, publish, lines, stop } = await limitedApi({ requests: 1_000 })
    await eventLog.append('api-keys', [{ key: 'x', value: Buffer.from('{') }])
    await publish({ name: 'one', hash, limit: 50 })
    await until(async () =>
      rates(await ask(get, { headers: { 'x-api-key': key } })).startsWith('50/'),
    )
    expect(lines.filter(({ fields }) => fields.event === 'api.unreadable-key').length).toBe(1)
    await stop()
  })
})

describe('an api process with limits', () => {
  it('warns once of a proxy that it does not trust', async () => {
    const { ask, lines } = await limitedApi()
    const headers = { 'x-forwarded-for': '198.51.100.1' }
    for (let n = 0; n < 5; n++) await ask(get, { headers })
    expect(lines.filter(({ fields }) => fields.event === 'api.untrusted-proxy').length).toBe(1)
  })

  it('asks the shared counts once for many requests', async () => {
    const server = new CountsInMemory(3_600_000)
    const { ask } = await limitedApi({ shared: server, requests: 400 })
    const statuses = []
    for (let n = 0; n < 500; n++) statuses.push((await ask(get)).status)
    expect(statuses.filter((status) => status === 200).length).toBe(400)
    expect(server.roundTrips).toBeLessThanOrEqual(2 + 400 / (requestsPerBatch(400) / 2))
  })
})

/** Until what was published is known. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve))
}
