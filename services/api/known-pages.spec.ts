import { expect, test } from 'vitest'
import type { HttpResponse } from '../../libs/ports/http.ts'
import { memoryCache } from '../../libs/ports/testing/memory-cache.ts'
import { aBalance, anAddress, aToken } from '../../libs/presenters/testing/rows.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { bucketOf } from '../../libs/topics/changes.ts'
import { routes } from './endpoints/routes.ts'
import { KnownTargets } from './pages/known-targets.ts'
import { testApi } from './testing/test-api.ts'

const holder = anAddress(0xa1)
const rows = Array.from({ length: 50 }, (_, at) => aBalance({ ordinal: at + 1 }))
const tokens = `/api/v2/addresses/${holder}/tokens`
/** A large page, a small one, one that does not exist, and spellings of them. */
const targets = [
  ...[tokens, `${tokens}/`, tokens.replace('0x', '%30x'), `${tokens}?items_count=%32`],
  ...[`/api/v2/tokens/${holder}`, `/api/v2/tokens/${anAddress(0xb2)}`],
]

const answers = {
  balancesOfAddress: async () => rows,
  tokenStates: async () => new Map([[holder, aToken()]]),
}

function started() {
  const api = testApi(answers)
  api.announce('ledger', 7)
  api.announce('state', 7)
  const { handler } = api
  const request = (
    target: string,
    method: string,
    headers: Readonly<Record<string, string>>,
  ): HttpResponse | Promise<HttpResponse> => {
    const [path = '', query = ''] = target.split('?')
    return handler({ method, path, query, headers, client: '127.0.0.1' })
  }
  return { ...api, request }
}

/** Until the page is cached and compressed, and its target known. */
async function warmed(api: ReturnType<typeof started>, target: string): Promise<HttpResponse> {
  for (let time = 0; time < 3; time++) {
    await api.request(target, 'GET', { 'accept-encoding': 'gzip' })
  }
  return api.request(target, 'GET', {})
}

const accepts = ['', '*/*', 'application/json', 'text/html', 'text/html, application/*;q=0.1']
const encodings = ['', 'gzip', 'br, GZIP;q=0.5', 'gzip;q=0', 'gzip;q=0.1, identity', ';;,']

function tagsOf({ headers: { etag } }: HttpResponse): string[] {
  if (etag === undefined) return ['', '*']
  const gzip = `${etag.slice(0, -1)}-gzip"`
  return ['', etag, gzip, `W/${etag}`, `"x", ${gzip}`, '*', '"x"', etag.padEnd(9_000, ' ')]
}

const comparable = ({ status, headers, body }: HttpResponse) => ({
  status,
  headers: { ...headers, 'x-request-id': '' },
  body: body.toString('latin1'),
})

test.each(targets)('returns a known page at once, equal to the parsed one: %s', async (target) => {
  const api = started()
  const tags = tagsOf(await warmed(api, target))
  let spelling = 0
  for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
    for (const accept of accepts) {
      for (const encoding of encodings) {
        for (const tag of tags) {
          const headers = { accept, 'accept-encoding': encoding, 'if-none-match': tag }
          const known = api.request(target, method, headers)
          if (known instanceof Promise) throw new Error(`${target} was not at hand`)
          // No request before was spelled like this.
          const other = `${target}${target.includes('?') ? '&' : '?'}x=${++spelling}`
          const parsed = await api.request(other, method, headers)
          expect(comparable(known)).toEqual(comparable(parsed))
        }
      }
    }
  }
  const large = { accept: '*/*,'.padEnd(33_000, 'a,') }
  expect((await api.request(target, 'GET', large)).status).toBe(431)
})

test('sends known pages with the request id of the client or its trace, else with one of their own', async () => {
  const api = started()
  await warmed(api, tokens)
  const idOf = async (headers: Readonly<Record<string, string>>) =>
    (await api.request(tokens, 'GET', headers)).headers['x-request-id'] ?? ''
  const sent = 'a-request-of-this-client'
  expect(await idOf({ 'x-request-id': sent })).toBe(sent)
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  const traceparent = `00-${trace}-00f067aa0ba902b7-01`
  expect(await idOf({ traceparent })).toBe(trace)
  expect(await idOf({ traceparent, 'x-request-id': sent })).toBe(sent)
  expect(await idOf({ traceparent: `${traceparent}-` })).not.toContain(trace)
  const none = '0'.repeat(32)
  expect(await idOf({ traceparent: traceparent.replace(trace, none) })).not.toBe(none)
  const ids = await Promise.all(
    ['', 'short', `${sent}\r\nx: y`].map((id) => idOf({ 'x-request-id': id })),
  )
  for (const id of ids) expect(id).toMatch(/^[\w-]{20,200}$/)
  expect(new Set([...ids, sent]).size).toBe(4)
})

test('does not return a known page after a change of it was announced', async () => {
  const api = started()
  await warmed(api, tokens)
  api.announce('state', 8, { moved: { balances_by_value: [bucketOf(anAddress(0xc3))] } })
  expect(api.request(tokens, 'GET', {})).not.toBeInstanceOf(Promise)
  api.announce('state', 9, { moved: { balances_by_value: [bucketOf(holder)] } })
  const reloaded = api.request(tokens, 'GET', {})
  expect(reloaded).toBeInstanceOf(Promise)
  await reloaded
})

test('refuses a known page that would exceed the bound of unsent bytes', async () => {
  const api = started()
  await warmed(api, tokens)
  const request = { method: 'GET', path: tokens, query: '', headers: {}, client: '127.0.0.1' }
  expect((await api.handler({ ...request, hasRoomFor: () => false })).status).toBe(503)
  const head = { ...request, method: 'HEAD', hasRoomFor: () => false }
  expect((await api.handler(head)).status).toBe(200)
})

async function bytesOf({ knownTargetsBytes }: ReturnType<typeof startMetrics>): Promise<number> {
  const { values } = await knownTargetsBytes.get()
  return values[0]?.value ?? 0
}

test('a flood of random targets leaves those that are requested again', async () => {
  const metrics = startMetrics()
  const known = new KnownTargets({ metrics, bytesMax: 100_000 })
  const [route] = routes
  if (route === undefined) throw new Error('no routes')
  const page = { route, subject: '', key: 'k' }
  const good = Array.from({ length: 100 }, (_, at) => `${tokens}?items_count=${at}`)
  for (const target of good) {
    known.add(target, page)
    known.find(target)
  }
  for (let at = 0; at < 20_000; at++) known.add(`${tokens}?x=${at}`, page)
  expect(good.filter((target) => known.find(target) === undefined)).toEqual([])
  expect(await bytesOf(metrics)).toBeGreaterThan(50_000)
  expect(await bytesOf(metrics)).toBeLessThanOrEqual(100_000)
})

test('counts two bytes a character where a target has one of two, and knows none that is long', async () => {
  const [route] = routes
  if (route === undefined) throw new Error('no routes')
  const page = { route, subject: '', key: 'k' }
  const counted = async (target: string) => {
    const metrics = startMetrics()
    const known = new KnownTargets({ metrics })
    known.add(target, page)
    return { bytes: await bytesOf(metrics), isKnown: known.find(target) !== undefined }
  }
  const [narrow, wide] = [await counted(`${tokens}?x=é`), await counted(`${tokens}?x=€`)]
  expect(wide.bytes - narrow.bytes).toBe(`${tokens}?x=€`.length)
  const longest = `${tokens}?x=`.padEnd(2_048, 'x')
  expect(await counted(longest)).toMatchObject({ isKnown: true })
  expect(await counted(`${longest}x`)).toEqual({ bytes: 0, isKnown: false })
})

test('knows a target whose page another process has cached', async () => {
  const cache = memoryCache({ bytesMax: 1_000_000 })
  const other = testApi(answers, { cache })
  await other.ask(tokens)
  const api = testApi({}, { cache, pageCacheBytesMax: 1 })
  expect(await bytesOf(api.metrics)).toBe(0)
  const first = await api.ask(tokens)
  expect(await bytesOf(api.metrics)).toBeGreaterThan(0)
  // Found again by its raw target, and rendered from the tables once the cache has lost it.
  expect(await api.ask(tokens)).toMatchObject({ status: 200, body: first.body })
  await cache.clear()
  expect((await api.ask(tokens)).body.toString()).toContain('"items":[]')
})

test('keeps no target whose page is not cached', async () => {
  const api = started()
  await warmed(api, tokens)
  const before = await bytesOf(api.metrics)
  expect(before).toBeGreaterThan(0)
  for (let at = 1; at < 50; at++) await api.request(`${tokens}?items_count=${at}`, 'GET', {})
  for (const path of ['/nowhere', '/api/v2/nothing', '/api/v2/tokens/0x12']) {
    for (let time = 0; time < 3; time++) await api.request(path, 'GET', {})
  }
  expect(await bytesOf(api.metrics)).toBe(before)
})

test('a query that is too long is refused for a known page as for any other', async () => {
  const api = started()
  const target = `${tokens}?items_count=5`
  expect((await warmed(api, target)).status).toBe(200)
  const long = `${tokens}?apikey=${'k'.repeat(6_000)}&items_count=`
  expect((await api.request(`${long}5`, 'GET', {})).status).toBe(414)
  expect((await api.request(`${long}6`, 'GET', {})).status).toBe(414)
})
