import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { StoreDenied, StoreFailed, StoreMissing, StoreUnavailable } from '../../libs/ports/store.ts'
import { aBalance, anAddress, aToken } from '../../libs/presenters/testing/rows.ts'
import { ReadLimitExceeded } from '../../libs/queries/reading/read-limits.ts'
import { version } from '../../libs/signals/version.ts'
import { bucketOf } from '../../libs/topics/changes.ts'
import { routes } from './endpoints/routes.ts'
import { notReady } from './response/responses.ts'
import { bodyOf, testApi } from './testing/test-api.ts'

const holder = anAddress(0xa1)
const tokens = `/api/v2/addresses/${holder}/tokens`

test('answers a route with a slash too many, and in percent-encoding', async () => {
  const { ask } = testApi()
  const encoded = tokens.replace('0x', '%30x')
  for (const path of [tokens, `${tokens}/`, tokens.replace('/api', '//api'), encoded]) {
    const response = await ask(path)
    expect(response.status).toBe(200)
    expect(bodyOf(response)).toEqual({ items: [], next_page_params: null })
  }
})

// Decisions 6 and 31.
test.each(['/api/v2', '/api/v2/nothing', `/api/v2/tokens/${holder}/other`, '/api/v2/%zz/%00'])(
  'answers %s as an unknown action, whatever the method',
  async (path) => {
    const { ask } = testApi()
    for (const method of ['GET', 'POST']) {
      const response = await ask(path, { method })
      expect(response.status).toBe(400)
      expect(bodyOf(response)).toEqual({ message: 'Unknown API v2 action' })
    }
  },
)

test('answers a path outside of the API as not found', async () => {
  const response = await testApi().ask('/nowhere')
  expect([response.status, bodyOf(response)]).toEqual([404, { message: 'Not found' }])
})

// Decision 6.
test('refuses other methods and names those that it has', async () => {
  const response = await testApi().ask(tokens, { method: 'DELETE' })
  expect(response.status).toBe(405)
  expect(response.headers.allow).toBe('GET, HEAD, OPTIONS')
})

// Decision 19.
test('answers OPTIONS of any path with what browsers may send', async () => {
  for (const path of [tokens, '/api/v2/nothing', '/nowhere', `${tokens}?${'a'.repeat(5_001)}`]) {
    const response = await testApi().ask(path, { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(response.headers['access-control-max-age']).toBe('1728000')
    expect(response.headers['access-control-allow-headers']).toContain('show-scam-tokens')
  }
})

/** Of clients of this API, and of scripts that are shown an ETag. */
const requestHeaders = [
  ...['show-scam-tokens', 'api-v2-temp-token', 'recaptcha-v2-response', 'recaptcha-v3-response'],
  ...['recaptcha-bypass-token', 'scoped-recaptcha-bypass-token', 'updated-gas-oracle'],
  ...['x-apollo-tracing', 'authorization', 'content-type', 'accept', 'origin', 'user-agent', 'dnt'],
  ...['cache-control', 'x-requested-with', 'if-modified-since', 'x-csrf-token', 'keep-alive'],
  ...['x-mx-reqtoken', 'x-api-key', 'if-none-match'],
]

const request = { method: 'GET', path: tokens, query: '', headers: {}, client: '127.0.0.1' }

test('allows other origins what it does: its methods, every header, no credentials', async () => {
  const answers = [
    await testApi().ask(tokens, { method: 'OPTIONS' }),
    await testApi().ask(tokens),
    await testApi().ask('/nowhere'),
    await notReady({ ...request, method: 'OPTIONS' }),
    await notReady(request),
  ]
  for (const { headers } of answers) {
    expect(headers['access-control-allow-origin']).toBe('*')
    // Browsers refuse credentials with any origin.
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
  }
  const [preflight] = answers
  const refused = await testApi().ask(tokens, { method: 'POST' })
  expect(preflight?.headers['access-control-allow-methods']).toBe(refused.headers.allow)
  const allowed = preflight?.headers['access-control-allow-headers']?.toLowerCase().split(',')
  expect(allowed).toEqual(expect.arrayContaining(requestHeaders))
})

test.each([
  ['text/html', 406],
  ['text/html, application/json;q=0', 406],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 200],
  ['application/json', 200],
  ['', 200],
])('answers Accept: %s by %i', async (accept, status) => {
  expect((await testApi().ask(tokens, { headers: { accept } })).status).toBe(status)
})

// Decision 5.
test('refuses a query of more than 5,000 characters unread', async () => {
  const { ask } = testApi()
  expect((await ask(`${tokens}?a=${'1'.repeat(4_998)}`)).status).toBe(200)
  expect((await ask(`${tokens}?a=${'1'.repeat(4_999)}`)).status).toBe(414)
  expect((await ask(`${tokens}?${'a=1&'.repeat(10_000)}`)).status).toBe(414)
})

test.each(['accept', 'accept-encoding', 'if-none-match', 'x-any'])(
  'refuses more than 16 KiB of headers unread: %s',
  async (name) => {
    const { ask } = testApi()
    const header = (characters: number) => ({
      headers: { [name]: '*/*,'.padEnd(characters - name.length, 'a,') },
    })
    expect((await ask(tokens, header(16 * 1024))).status).not.toBe(431)
    const response = await ask(tokens, header(16 * 1024 + 1))
    expect([response.status, bodyOf(response)]).toEqual([
      431,
      { message: 'Request header fields too large' },
    ])
    expect(response.headers).toMatchObject({ 'access-control-allow-origin': '*' })
    expect(response.headers['x-request-id']).toBeDefined()
    expect((await ask(`${tokens}?a=${'1'.repeat(40_000)}`)).status).toBe(414)
  },
)

// Decisions 6 and 30.
test('checks the path first, then the query, then whether the subject exists', async () => {
  const { ask } = testApi()
  const path = await ask('/api/v2/tokens/0x12/holders?value=x')
  expect([path.status, bodyOf(path)]).toEqual([
    422,
    {
      message: 'Invalid parameter(s)',
      errors: [
        {
          title: 'Invalid value',
          source: { pointer: '/address_hash_param' },
          detail: 'Invalid format. Expected ~r/^0x([A-Fa-f0-9]{40})$/',
        },
      ],
    },
  ])
  const query = await ask(`/api/v2/tokens/${holder}/holders?value=x`)
  expect([query.status, bodyOf(query)]).toMatchObject([
    422,
    { errors: [{ source: { pointer: '/value' } }] },
  ])
  expect((await ask(`/api/v2/tokens/${holder}/holders`)).status).toBe(404)
})

test('names a malformed transaction by its own pointer', async () => {
  const response = await testApi().ask(`/api/v2/transactions/${holder}/summary`)
  expect(bodyOf(response)).toMatchObject({
    errors: [
      {
        source: { pointer: '/transaction_hash_param' },
        detail: 'Invalid format. Expected ~r/^0x([A-Fa-f0-9]{64})$/',
      },
    ],
  })
})

// Decision 17.
test('reports on every response the indexed block, and allows every origin', async () => {
  const { ask, announce } = testApi()
  expect((await ask(tokens)).headers['x-indexed-block']).toBeUndefined()
  announce('ledger', 7)
  announce('state', 5)
  for (const target of [tokens, '/nowhere', '/api/v2/tokens/0x12']) {
    const { headers } = await ask(target)
    expect(headers).toMatchObject({
      'x-indexed-block': '105',
      'x-indexed-at': '2023-11-14T22:14:20.000Z',
      'access-control-allow-origin': '*',
      'x-ratelimit-limit': '-1',
      'bypass-429-option': 'no_bypass',
    })
    expect(headers['x-request-id']).toMatch(/^[\w-]{20,}$/)
  }
})

test('answers whatever time the newest block has, as rows of an earlier version may', async () => {
  const { ask, announce } = testApi()
  announce('ledger', 1, { time: 8_640_000_000_001 })
  announce('state', 1, { time: 8_640_000_000_001 })
  const response = await ask(tokens)
  expect([response.status, response.headers['x-indexed-at']]).toEqual([
    200,
    '9999-12-31T23:59:59.000Z',
  ])
})

test('reports its block if the time is unknown', async () => {
  const { ask, announce } = testApi()
  announce('ledger', 5, { time: null })
  announce('state', 5, { time: null })
  const { status, headers } = await ask(tokens)
  expect([status, headers['x-indexed-block'], headers['x-indexed-at']]).toEqual([
    200,
    '105',
    undefined,
  ])
})

test('without a status page, leads from the root to the page to try it', async () => {
  const { ask } = testApi({}, { status: null })
  for (const path of ['/', '//', '']) {
    const { status, headers } = await ask(path)
    expect([status, headers.location]).toEqual([302, '/docs'])
  }
  expect((await ask('/', { method: 'POST' })).status).toBe(405)
  for (const name of ['status.css', 'status.js', 'stream']) {
    expect((await ask(`/api/status/${name}`)).status, name).toBe(404)
  }
})

// Decision 59.
test.each(['/health/live', '/health/ready', '/metrics'])('does not serve %s', async (path) => {
  for (const spelling of [path, `/${path}`, `${path}/`, path.replace('/m', '/%6D')]) {
    expect((await testApi().ask(spelling)).status).toBe(404)
  }
})

// Decision 17.
test('answers 304 to a tag that still holds, and HEAD as GET', async () => {
  const { ask } = testApi()
  const first = await ask(tokens)
  const etag = String(first.headers.etag)
  expect(etag).toMatch(/^"[\w-]{27}"$/)
  for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const again = await ask(tokens, { headers: { 'if-none-match': tag } })
    expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag])
    expect(again.headers.vary).toBe('accept-encoding')
  }
  expect((await ask(tokens, { headers: { 'if-none-match': '"x"' } })).status).toBe(200)
  const head = await ask(tokens, { method: 'HEAD' })
  expect({ ...head, headers: null }).toEqual({ ...first, headers: null })
})

test('compresses a large body where it is asked to', async () => {
  const rows = Array.from({ length: 50 }, (_, at) => aBalance({ ordinal: at + 1 }))
  const { ask } = testApi({ balancesOfAddress: async () => rows })
  const plain = await ask(tokens)
  expect(plain.headers['content-encoding']).toBeUndefined()
  const small = await ask(tokens, { headers: { 'accept-encoding': 'br, gzip;q=0.5' } })
  const tiny = await ask('/nowhere', { headers: { 'accept-encoding': 'gzip' } })
  expect(tiny.headers['content-encoding']).toBeUndefined()
  expect(small.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(small.body)).toEqual(plain.body)
  expect(small.headers.etag).not.toBe(plain.headers.etag)
  for (const etag of [small.headers.etag, plain.headers.etag]) {
    const headers = { 'accept-encoding': 'gzip', 'if-none-match': String(etag) }
    const again = await ask(tokens, { headers })
    expect([again.status, again.headers.etag, again.headers.vary]).toEqual([
      ...[304, etag, 'accept-encoding'],
    ])
  }
  expect((await ask(tokens, { headers: { 'accept-encoding': 'gzip;q=0' } })).body).toEqual(
    plain.body,
  )
})

test.each([
  [new StoreUnavailable('away'), 503],
  [new StoreFailed('code 439'), 503],
  [new StoreMissing('no such table'), 503],
  [new StoreDenied('credentials', 'password'), 503],
  [new ReadLimitExceeded('holders', 9), 503],
  [new Error('secret of ours'), 500],
])('answers %s by %s, without a word of ours', async (error, status) => {
  const { ask } = testApi({ balancesOfAddress: () => Promise.reject(error) })
  const response = await ask(tokens)
  expect(response.status).toBe(status)
  expect(response.headers['retry-after']).toBe(status === 503 ? '1' : undefined)
  expect(response.body.toString()).not.toContain(error.message)
  expect(response.headers['x-request-id']).toBeDefined()
})

test('answers cached pages whatever is in flight, until a change is announced', async () => {
  const hung = new Promise<never>(() => {})
  let isHung = false
  const balancesOfAddress = async () => (isHung ? hung : [])
  const { ask, announce } = testApi(
    { balancesOfAddress },
    { loads: { loadsMax: 1, loadsWaitingMax: 0 } },
  )
  announce('ledger', 1)
  announce('state', 1)
  const missing = `/api/v2/tokens/${holder}`
  expect((await ask(tokens)).status).toBe(200)
  expect((await ask(missing)).status).toBe(404)
  isHung = true
  void ask(`${tokens}?items_count=1`)
  expect((await ask(`${tokens}?items_count=2`)).status).toBe(503)
  expect((await ask(tokens)).status).toBe(200)
  expect((await ask(missing)).status).toBe(404)
  announce('state', 2, { moved: ofHolder })
  expect((await ask(tokens)).status).toBe(503)
})

const ofHolder = { balances_by_value: [bucketOf(holder)] }

test('reads the tables once for equal requests, until a change is announced', async () => {
  let asked = 0
  const { ask, announce } = testApi({
    async balancesOfAddress() {
      asked++
      return []
    },
  })
  announce('ledger', 1)
  announce('state', 1)
  await Promise.all([ask(tokens), ask(`${tokens}?items_count=&x=1`), ask(tokens)])
  await ask(`${tokens}?apikey=other`)
  announce('state', 2)
  await ask(tokens)
  expect(asked).toBe(1)
  announce('state', 3, { moved: ofHolder })
  await ask(tokens)
  expect(asked).toBe(2)
})

test('does not keep what was read while something was announced', async () => {
  let asked = 0
  const api = testApi({
    async balancesOfAddress() {
      if (asked++ === 0) api.announce('state', 2, { moved: ofHolder })
      return []
    },
  })
  await api.ask(tokens)
  await api.ask(tokens)
  expect(asked).toBe(2)
})

test('counts requests by route and status', async () => {
  const { ask, counted } = testApi({ tokenStates: async () => new Map([[holder, aToken()]]) })
  await ask(`/api/v2/tokens/${holder}`)
  expect(await counted()).toContain(
    'foldscan_requests_total{route="/api/v2/tokens/{address_hash}",status="200"} 1',
  )
})

const reference = (id: string) => ({ $ref: `#/components/schemas/${id}` })

test('names no schema in its description that it does not print', async () => {
  const text = (await testApi().ask('/api/v2/openapi.json')).body.toString()
  const { components } = JSON.parse(text)
  const named = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, id]) => id)
  expect(named.length).toBeGreaterThan(50)
  expect(Object.keys(components.schemas).sort()).toEqual([...new Set(named)].sort())
})

test('prints its description from the declarations that validate', async () => {
  const response = await testApi().ask('/api/v2/openapi.json')
  expect(bodyOf(response)).toMatchObject({
    openapi: '3.1.0',
    info: { version, license: { identifier: 'Apache-2.0' } },
    paths: {
      '/api/v2/addresses/{address_hash}/logs': {
        get: {
          parameters: [{ name: 'address_hash' }, { name: 'topic' }, {}, {}, {}],
          responses: {
            200: { content: { 'application/json': { schema: reference('Logs') } } },
            422: { $ref: '#/components/responses/invalidParameters' },
          },
        },
      },
    },
  })
  expect((await testApi().ask('/docs')).headers['content-type']).toContain('text/html')
})

test('shows each endpoint before its first request: a first error is an increase', async () => {
  const { metrics } = testApi()
  const lines = (await metrics.registry.metrics()).split('\n')
  for (const { path } of routes) {
    expect(lines).toContain(`foldscan_request_seconds_count{route="${path}"} 0`)
    for (const status of [200, 500, 503]) {
      expect(lines).toContain(`foldscan_requests_total{route="${path}",status="${status}"} 0`)
    }
  }
})
