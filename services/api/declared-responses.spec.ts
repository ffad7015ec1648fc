import { expect, test } from 'vitest'
import { z } from 'zod'
import type { HttpResponse } from '../../libs/ports/http.ts'
import { StoreUnavailable } from '../../libs/ports/store.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { type ErrorCode, errors } from '../../libs/presenters/errors.ts'
import { openApiOf } from '../../libs/presenters/open-api/open-api.ts'
import { anAddress, aToken } from '../../libs/presenters/testing/rows.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { routes } from './endpoints/routes.ts'
import { startRequestLimits } from './request/limits/request-limits.ts'
import type { Answers } from './testing/answers.ts'
import { bodyOf, testApi } from './testing/test-api.ts'

const reference = z.object({ $ref: z.string() })
const declaredResponse = z.object({
  headers: z.record(z.string(), reference),
  content: z
    .object({ 'application/json': z.object({ example: z.unknown().optional() }) })
    .optional(),
})
const document = z
  .object({
    paths: z.record(
      z.string(),
      z.object({
        get: z.object({ responses: z.record(z.string(), z.union([reference, declaredResponse])) }),
      }),
    ),
    components: z.object({ responses: z.record(z.string(), declaredResponse) }),
  })
  .parse(openApiOf(routes, { publishedTypes: false, version: '1.2.3' }))

const path = '/api/v2/tokens/{address_hash}/holders'
const holders = path.replace('{address_hash}', anAddress(0x70))

/** What the document says of an answer of this endpoint. */
function declared(status: number) {
  const found = document.paths[path]?.get.responses[status]
  if (found === undefined) throw new Error(`${status} is not declared`)
  if (!('$ref' in found)) return found
  const shared = document.components.responses[found.$ref.replace(/^.*\//, '')]
  if (shared === undefined) throw new Error(`${found.$ref} is missing`)
  return shared
}

/** Of content negotiation and of other origins: for the browser, not for the caller. */
const ofTransport = /^(?:access-control-|vary$|content-type$|content-encoding$)/
/** Sent in some cases only. */
const ofCases = ['x-api-key-status']

function checkHeaders({ status, headers }: HttpResponse): void {
  const sent = Object.keys(headers).filter((name) => !ofTransport.test(name))
  const known = Object.keys(declared(status).headers)
  expect(sent.filter((name) => !known.includes(name))).toEqual([])
  expect(known.filter((name) => !sent.includes(name) && !ofCases.includes(name))).toEqual([])
}

/** An API with a head, whose client may send so many requests. */
async function api(answers: Answers, requests = 100) {
  const stopping = new AbortController()
  const settings = { requests, windowMs: 3_600_000, clientsMax: 10, trustedProxies: [] }
  const { limits } = await startRequestLimits({
    ...{ settings: { ...settings, shared: null }, eventLog: memoryEventLog() },
    ...{ log: silentLog, metrics: startMetrics(), signal: stopping.signal },
  })
  const { ask, announce } = testApi(answers, { requestLimits: limits })
  announce('ledger', 1)
  announce('state', 1)
  return { ask, stop: () => stopping.abort() }
}

const known: Answers = { tokenStates: async (of) => new Map(of.map((token) => [token, aToken()])) }
const failingBy = (error: Error): Answers => ({ holdersOfToken: () => Promise.reject(error) })
const accepting = (accept: string) => ({ headers: { accept } })

interface Case {
  readonly target: string
  readonly changes?: Parameters<ReturnType<typeof testApi>['ask']>[1]
  readonly answers?: Answers
}
const away = failingBy(new StoreUnavailable('away'))

test.each<[ErrorCode, Case]>([
  ['unknownAction', { target: '/api/v2/tokens' }],
  ['notFound', { target: holders, answers: {} }],
  ['methodNotAllowed', { target: holders, changes: { method: 'POST' } }],
  ['notAcceptable', { target: holders, changes: accepting('text/html') }],
  ['uriTooLong', { target: `${holders}?${'a'.repeat(5_001)}` }],
  ['invalidParameters', { target: `${holders}?items_count=0` }],
  ['headersTooLarge', { target: holders, changes: accepting('a'.repeat(20_000)) }],
  ['internal', { target: holders, answers: failingBy(new Error('a fault')) }],
  ['unavailable', { target: holders, answers: away }],
  ['tooManyRequests', { target: holders }],
])('answers %s as its example in openapi.json', async (code, { target, changes, answers }) => {
  const { ask, stop } = await api(answers ?? known, code === 'tooManyRequests' ? 0 : 100)
  const response = await ask(target, changes)
  stop()
  expect(response.status).toBe(errors[code].status)
  checkHeaders(response)
  const { example } = declared(response.status).content?.['application/json'] ?? {}
  expect(example).toEqual(bodyOf(response))
})

test('answers with the declared headers, and 304 as well', async () => {
  const { ask, stop } = await api({ ...known, holdersOfToken: async () => [] })
  const response = await ask(holders)
  expect(response.status).toBe(200)
  checkHeaders(response)
  const headers = { 'if-none-match': response.headers.etag ?? '' }
  const unchanged = await ask(holders, { headers })
  stop()
  expect(unchanged.status).toBe(304)
  checkHeaders(unchanged)
})
