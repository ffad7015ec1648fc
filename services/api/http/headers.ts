import { randomUUID } from 'node:crypto'
import type { HttpRequest } from '../../../libs/ports/http.ts'
import { dateOf } from '../../../libs/presenters/dates.ts'
import type { Head } from '../../../libs/presenters/lookups.ts'

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
