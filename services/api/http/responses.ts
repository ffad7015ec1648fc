import { createHash, randomUUID } from 'node:crypto'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../../libs/ports/http.ts'
import { dateOf } from '../../../libs/presenters/dates.ts'
import { type ErrorCode, errorBody, errors, type Fault } from '../../../libs/presenters/errors.ts'
import type { Head } from '../../../libs/presenters/lookups.ts'
import type { Compressor } from './compressor.ts'
import { acceptsGzip, matchesTag } from './requests.ts'

const exposed = [
  'bypass-429-option',
  'x-ratelimit-reset',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'api-v2-temp-token',
  'x-indexed-block',
  'x-indexed-at',
  'x-truncated',
  'x-order-changed',
  'x-request-id',
  'etag',
  'retry-after',
]

/** On every response, errors included. */
const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers': exposed.join(','),
}

/** No rate limiter: reported as unlimited, in the form that clients expect. */
const unlimited = {
  'x-ratelimit-limit': '-1',
  'x-ratelimit-remaining': '-1',
  'x-ratelimit-reset': '-1',
  'bypass-429-option': 'no_bypass',
}

/** Request headers that browsers may send. */
const allowedHeaders = [
  'show-scam-tokens',
  'api-v2-temp-token',
  'recaptcha-v2-response',
  'recaptcha-v3-response',
  'recaptcha-bypass-token',
  'scoped-recaptcha-bypass-token',
  'updated-gas-oracle',
  'x-apollo-tracing',
  'x-api-key',
  'if-none-match',
  'Authorization',
  'Content-Type',
  'Accept',
  'Origin',
  'User-Agent',
  'DNT',
  'Cache-Control',
  'X-Requested-With',
  'If-Modified-Since',
  'X-CSRF-Token',
  'Keep-Alive',
  'X-Mx-ReqToken',
]

/** Headers of the response to OPTIONS. */
export const preflight = {
  'access-control-max-age': '1728000',
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers': allowedHeaders.join(','),
}

export const jsonType = 'application/json; charset=utf-8'

/** May be cached, but must be revalidated before each use. */
export const revalidated = 'public, max-age=0, must-revalidate'

const requestIdForm = /^[\w-]{20,200}$/

/** The client's request id if it is well-formed, else a new one. */
export function requestIdOf({ headers }: HttpRequest): string {
  const sent = headers['x-request-id'] ?? ''
  return requestIdForm.test(sent) ? sent : randomUUID()
}

/** Headers of every response. Freshness is reported here and never in a body. */
export function responseHeaders(requestId: string, head: Head | null): Record<string, string> {
  return {
    ...crossOrigin,
    ...unlimited,
    'x-request-id': requestId,
    ...(head === null ? {} : { 'x-indexed-block': String(head.block) }),
    ...(head === null || head.time === null
      ? {}
      : { 'x-indexed-at': dateOf(head.time).toISOString() }),
  }
}

/** Smaller bodies fit into a packet as they are. */
const gzipFromBytes = 1_024

/** An answer before it is negotiated to what the client takes. */
export interface Content {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export const json = (status: number, body: unknown): Content => ({
  status,
  headers: { 'content-type': jsonType },
  body: Buffer.from(JSON.stringify(body)),
})

/** A 200 with an ETag, that clients may cache and must revalidate. */
export function tagged(body: Buffer, headers: Readonly<Record<string, string>> = {}): Content {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 27)
  return {
    status: 200,
    headers: {
      'content-type': jsonType,
      'cache-control': revalidated,
      etag: `"${hash}"`,
      ...headers,
    },
    body,
  }
}

/** Never cached: the next answer may differ. */
export function failure(code: ErrorCode, faults: readonly Fault[] = []): Content {
  const { status, headers, body } = json(errors[code].status, errorBody(code, faults))
  const retry: Record<string, string> = code === 'unavailable' ? retryAfter : {}
  return { status, headers: { ...headers, 'cache-control': 'no-store', ...retry }, body }
}

/** The answer to OPTIONS of any path: what browsers may send. */
export const permission: Content = { status: 204, headers: preflight, body: Buffer.alloc(0) }

/** A temporary redirect. */
export const redirect = (location: string): Content => ({
  status: 302,
  headers: { location, 'cache-control': revalidated },
  body: Buffer.alloc(0),
})

/** Seconds. */
const retryAfter = { 'retry-after': '1' }

/** Content negotiation: 304 for a matching ETag, gzip if accepted. */
export async function negotiated(
  content: Content,
  { headers: sent }: HttpRequest,
  compressor: Pick<Compressor, 'gzip'> | null,
): Promise<HttpResponse> {
  const isGzip = content.body.length >= gzipFromBytes && acceptsGzip(sent['accept-encoding'])
  const { etag: plain } = content.headers
  const gzipped = plain && gzipTag(plain)
  const vary = { vary: 'accept-encoding' }
  const tags = isGzip ? [gzipped, plain] : [plain, gzipped]
  // The client may have cached the other coding, which is as current.
  const matched = tags.find((tag) => tag && matchesTag(sent['if-none-match'], tag))
  if (matched !== undefined) {
    const { 'content-type': _, ...headers } = content.headers
    return { status: 304, headers: { ...headers, ...vary, etag: matched }, body: nothing }
  }
  const gzip = isGzip && compressor !== null ? await compressor.gzip(content) : null
  const coding: Record<string, string> = gzip === null ? {} : { 'content-encoding': 'gzip' }
  if (gzip !== null && gzipped !== undefined) coding.etag = gzipped
  const headers = { ...content.headers, ...vary, ...coding }
  return { status: content.status, headers, body: gzip ?? content.body }
}

/** A strong ETag identifies bytes: each coding has its own. @param etag of the plain body. */
const gzipTag = (etag: string): string => `${etag.slice(0, -1)}-gzip"`

const nothing = Buffer.alloc(0)

/** Answers 503 to every API request while servers, topics or tables are not available yet. */
export const notReady: HttpHandler = async (request) => {
  const content = request.method === 'OPTIONS' ? permission : failure('unavailable')
  const { headers, ...response } = await negotiated(content, request, null)
  return { ...response, headers: { ...responseHeaders(requestIdOf(request), null), ...headers } }
}
