import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { errorBody } from '../../../libs/presenters/errors.ts'
import type { RawResponse } from '../../support/raw-connection.ts'
import { complaintAbout } from './judged-response.ts'

const asked = {
  method: 'GET',
  target: '/api/v2/tokens/0x1/transfers',
  ifNoneMatch: null,
  isOutside: false,
  headBytes: 100,
}
const always = {
  'x-request-id': 'a',
  'access-control-allow-origin': '*',
  'x-ratelimit-limit': '-1',
  'content-type': 'application/json; charset=utf-8',
}
function response(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): RawResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const all = new Map(Object.entries({ ...always, ...headers }))
  return { status, headers: all, body: Buffer.from(text) }
}
const page = { items: [], next_page_params: null }
const busy = errorBody('unavailable')

it('takes what the contract wants', () => {
  expect(complaintAbout(asked, response(200, page))).toBeNull()
  const gzipped = { ...response(200, page, { 'content-encoding': 'gzip' }) }
  const body = gzipSync(JSON.stringify(page))
  expect(complaintAbout(asked, { ...gzipped, body })).toBeNull()
  expect(complaintAbout(asked, response(503, busy, { 'retry-after': '1' }))).toBeNull()
  const spelled = { ...asked, target: '/api//%76%32/tokens/0x1/transfers/?' }
  expect(complaintAbout(spelled, response(404, errorBody('notFound')))).toBeNull()
})

it.each([
  ['a fault of the server', response(500, errorBody('internal'))],
  ['a page with a field that nobody declared', response(200, { ...page, more: 1 })],
  ['a page without its items', response(200, { next_page_params: null })],
  ['half a body', response(200, '{"items":[')],
  ['an error in words of its own', response(404, { message: 'nope' })],
  ['an error with a field more', response(404, { ...errorBody('notFound'), stack: 'at' })],
  ['a 422 that names no parameter', response(422, errorBody('invalidParameters'))],
  ['a 503 without Retry-After', response(503, busy)],
  ['an answer without an id', { ...response(200, page), headers: new Map() }],
  ['HTML', response(200, page, { 'content-type': 'text/html' })],
  ['an answer that ends too early', 'cut' as const],
  ['no answer', 'none' as const],
  ['no HTTP', 'garbled' as const],
])('complains of %s', (_, outcome) => {
  expect(complaintAbout(asked, outcome)).not.toBeNull()
})

it('takes 304 only for the tag of the request', () => {
  const same = response(304, '', { etag: '"a"' })
  expect(complaintAbout({ ...asked, ifNoneMatch: '"a"' }, same)).toBeNull()
  expect(complaintAbout({ ...asked, ifNoneMatch: '*' }, same)).toBeNull()
  expect(complaintAbout({ ...asked, ifNoneMatch: '"b"' }, same)).toContain('304 to "b"')
  expect(complaintAbout(asked, same)).toContain('304 to a request without a condition')
})

it('lets the library refuse in its own words what is no HTTP, and nothing else', () => {
  const html = { status: 505, headers: new Map(), body: Buffer.from('<h1>No</h1>') }
  expect(complaintAbout({ ...asked, isOutside: true }, html)).toBeNull()
  expect(complaintAbout({ ...asked, isOutside: true }, 'none')).toBeNull()
  expect(complaintAbout(asked, html)).not.toBeNull()
  const fault = response(500, errorBody('internal'))
  expect(complaintAbout({ ...asked, isOutside: true }, fault)).not.toBeNull()
})

it('lets the library refuse in its own words a head that is larger than it takes', () => {
  const html = { status: 431, headers: new Map(), body: Buffer.from('<h1>No</h1>') }
  expect(complaintAbout(asked, html)).not.toBeNull()
  expect(complaintAbout({ ...asked, headBytes: 33_000 }, html)).toBeNull()
  expect(complaintAbout({ ...asked, headBytes: 33_000 }, { ...html, status: 505 })).not.toBeNull()
})
