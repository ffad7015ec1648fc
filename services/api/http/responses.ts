import { randomBytes } from 'node:crypto'
import {
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  headerLines,
  type PreparedHeaders,
} from '../../../libs/ports/http.ts'
import { dateOf } from '../../../libs/presenters/dates.ts'
import { type ErrorCode, errorBody, errors, type Fault } from '../../../libs/presenters/errors.ts'
import type { Head } from '../../../libs/presenters/lookups.ts'
import type { CheckedRequest } from '../limits/request-limits.ts'
import type { Compressor } from './compressor.ts'
import { acceptsGzip, headerOf, matchesTag } from './requests.ts'

const exposed = [
  'bypass-429-option',
  'x-ratelimit-reset',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-api-key-status',
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
/** Of this process: with a number it makes an id that no other process gives. */
const idPrefix = randomBytes(16).toString('base64url')
let lastId = 0

/** The client's request id if it is well-formed, else a new one. */
export function requestIdOf(request: HttpRequest): string {
  const sent = headerOf(request, 'x-request-id')
  if (sent !== '' && requestIdForm.test(sent)) return sent
  lastId += 1
  return `${idPrefix}-${lastId}`
}

type Headers = Readonly<Record<string, string>>

/** Headers of every response but its own. Freshness is reported here and never in a body. */
const headersAt = (head: Head | null, limit: Headers): Headers => ({
  ...crossOrigin,
  ...limit,
  ...(head === null ? {} : { 'x-indexed-block': String(head.block) }),
  ...(head === null || head.time === null
    ? {}
    : { 'x-indexed-at': dateOf(head.time).toISOString() }),
})

/** Headers, and the same as they are written. */
class WrittenHeaders {
  readonly headers: Headers
  readonly lines: string

  constructor(headers: Headers) {
    this.headers = headers
    this.lines = headerLines(headers)
  }
}

/** Headers of all responses, made once per head, so that equal ones are the same object. */
class HeadersOfHead {
  private readonly limit: Headers
  private readonly withoutHead: WrittenHeaders
  private latest: { readonly head: Head; readonly always: WrittenHeaders } | null = null

  constructor(limit: Headers) {
    this.limit = limit
    this.withoutHead = new WrittenHeaders(headersAt(null, limit))
  }

  at(head: Head | null): WrittenHeaders {
    if (head === null) return this.withoutHead
    const { block, time } = head
    if (this.latest?.head.block !== block || this.latest.head.time !== time) {
      const always = new WrittenHeaders(headersAt({ block, time }, this.limit))
      this.latest = { head: { block, time }, always }
    }
    return this.latest.always
  }
}

const headersUnlimited = new HeadersOfHead(unlimited)
/** What is left of a limit stands in the response's own headers. */
const headersLimited = new HeadersOfHead({ 'bypass-429-option': 'no_bypass' })

/** What clients read of their limit; times in ms, `retry-after` in seconds. */
function limitHeaders(checked: CheckedRequest): Record<string, string> {
  const { isAllowed, limit, remaining, resetMs, hasUnknownKey } = checked
  const headers: Record<string, string> = {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetMs),
  }
  if (hasUnknownKey) headers['x-api-key-status'] = 'unknown'
  if (!isAllowed) headers['retry-after'] = String(Math.ceil(resetMs / 1_000))
  return headers
}

/** What a response reports besides its content. */
export interface ResponseContext {
  readonly requestId: string
  /** Null without limits. */
  readonly checked: CheckedRequest | null
}

/** A content in the form that a client takes. */
export class Negotiated {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
  private prepared: { readonly always: WrittenHeaders; readonly lines: string } | null = null

  constructor({ status, headers, body }: Content) {
    this.status = status
    this.headers = headers
    this.body = body
  }

  /** Prepared once per head. The names of these headers and of `always` differ. */
  linesWith(always: WrittenHeaders): string {
    if (this.prepared?.always !== always) {
      this.prepared = { always, lines: always.lines + headerLines(this.headers) }
    }
    return this.prepared.lines
  }
}

/** A negotiated content with the headers of every response. */
export class Response implements HttpResponse, PreparedHeaders {
  readonly status: number
  readonly body: Buffer
  readonly own: Headers
  readonly lines: string
  private readonly form: Negotiated
  private readonly always: WrittenHeaders

  constructor(form: Negotiated, { requestId, checked }: ResponseContext, head: Head | null) {
    this.status = form.status
    this.body = form.body
    this.form = form
    this.always = (checked === null ? headersUnlimited : headersLimited).at(head)
    const own: Record<string, string> = { 'x-request-id': requestId }
    this.own = checked === null ? own : Object.assign(own, limitHeaders(checked))
    this.lines = form.linesWith(this.always)
  }

  get headers(): Headers {
    return { ...this.always.headers, ...this.form.headers, ...this.own }
  }

  get prepared(): PreparedHeaders {
    return this
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

/** A 200 with an ETag, that clients may cache and must revalidate. @param tag of these bytes */
export const tagged = (body: Buffer, tag: string, headers: Headers = {}): Content => ({
  status: 200,
  headers: {
    'content-type': jsonType,
    'cache-control': revalidated,
    etag: `"${tag}"`,
    ...headers,
  },
  body,
})

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

/** The forms in which a content is sent: as it is, compressed, and 304 to the tag of either. */
type FormName = 'plain' | 'gzip' | 'unchanged' | 'unchanged gzip'

/** Each form is prepared at the first request that gets it. */
const formsOf = new WeakMap<Content, Map<FormName, Negotiated>>()

function formOf(content: Content, name: FormName, make: () => Negotiated): Negotiated {
  let forms = formsOf.get(content)
  if (forms === undefined) {
    forms = new Map()
    formsOf.set(content, forms)
  }
  const known = forms.get(name)
  if (known !== undefined) return known
  const form = make()
  forms.set(name, form)
  return form
}

/** Content negotiation: 304 for a matching ETag, gzip if accepted. Waits for compression only. */
export function negotiated(
  content: Content,
  request: HttpRequest,
  compressor: Pick<Compressor, 'gzip'> | null,
): Negotiated | Promise<Negotiated> {
  const isGzip =
    content.body.length >= gzipFromBytes && acceptsGzip(headerOf(request, 'accept-encoding'))
  const unchanged = unchangedForm(content, request, isGzip)
  if (unchanged !== null) return unchanged
  const compressed = isGzip && compressor !== null ? compressor.gzip(content) : null
  if (compressed === null) return formOf(content, 'plain', () => varying(content))
  return compressed instanceof Promise
    ? compressed.then((body) => formOf(content, 'gzip', () => gzipped(content, body)))
    : formOf(content, 'gzip', () => gzipped(content, compressed))
}

/** The answer to a client that has the content already; null if no tag of it matches. */
function unchangedForm(content: Content, request: HttpRequest, isGzip: boolean): Negotiated | null {
  const { etag } = content.headers
  if (etag === undefined) return null
  const sent = headerOf(request, 'if-none-match')
  if (sent === '') return null
  const tags = [etag, gzipTag(etag)]
  // The client may have cached the other coding, which is as current.
  const matched = (isGzip ? tags.reverse() : tags).find((tag) => matchesTag(sent, tag))
  if (matched === undefined) return null
  return formOf(content, matched === etag ? 'unchanged' : 'unchanged gzip', () => {
    const { 'content-type': _, ...headers } = content.headers
    return varying({ status: 304, headers: { ...headers, etag: matched }, body: nothing })
  })
}

function gzipped({ status, headers }: Content, body: Buffer): Negotiated {
  const { etag } = headers
  const tag: Record<string, string> = etag === undefined ? {} : { etag: gzipTag(etag) }
  return varying({ status, headers: { ...headers, 'content-encoding': 'gzip', ...tag }, body })
}

const varying = ({ status, headers, body }: Content): Negotiated =>
  asIs({ status, headers: { ...headers, vary: 'accept-encoding' }, body })

/** A strong ETag identifies bytes: each coding has its own. @param etag of the plain body. */
const gzipTag = (etag: string): string => `${etag.slice(0, -1)}-gzip"`

const nothing = Buffer.alloc(0)

/** A content as it is, without negotiation. */
export const asIs = (content: Content): Negotiated => new Negotiated(content)

/** Answers 503 to every API request while servers, topics or tables are not available yet. */
export const notReady: HttpHandler = async (request) => {
  const content = request.method === 'OPTIONS' ? permission : failure('unavailable')
  const context = { requestId: requestIdOf(request), checked: null }
  return new Response(await negotiated(content, request, null), context, null)
}
