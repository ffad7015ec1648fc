import { randomBytes } from 'node:crypto'
import {
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  headerLines,
  headerOf,
  type PreparedHeaders,
} from '../../../libs/ports/http.ts'
import { dateOf } from '../../../libs/presenters/dates.ts'
import { type ErrorCode, errorBody, errors, type Fault } from '../../../libs/presenters/errors.ts'
import type { Head } from '../../../libs/presenters/lookups.ts'
import { acceptsGzip, matchesTag } from './accepted.ts'
import type { Compressor } from './compressor.ts'
import { type CheckedRequest, limitHeaders } from './limit-headers.ts'

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

/** On every response, errors included. Browsers refuse `*` together with credentials. */
const crossOrigin = {
  'access-control-allow-origin': '*',
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
  'traceparent',
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

/** Of every path; any other is 405. */
export const methods: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/** Headers of the response to OPTIONS. */
const preflight = {
  'access-control-max-age': '1728000',
  'access-control-allow-methods': methods.join(', '),
  'access-control-allow-headers': allowedHeaders.join(','),
}

const jsonType = 'application/json; charset=utf-8'

/** May be cached, but must be revalidated before each use. */
const revalidated = 'public, max-age=0, must-revalidate'

const requestIdHeader = 'x-request-id'
const requestIdForm = /^[\w-]{20,200}$/
/** W3C Trace Context: version, id of the trace (not 0), id of the caller's span, flags. */
const traceParentForm = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/
/** Of this process: with a number it makes an id that no other process gives. */
const idPrefix = randomBytes(16).toString('base64url')
let lastId = 0

/** The client's request id if it is well-formed, else the id of its trace, else a new one. */
export function requestIdOf(request: HttpRequest): string {
  const sent = headerOf(request, requestIdHeader)
  if (sent !== '' && requestIdForm.test(sent)) return sent
  const [, traceId] = traceParentForm.exec(headerOf(request, 'traceparent')) ?? []
  if (traceId !== undefined) return traceId
  lastId += 1
  return `${idPrefix}-${lastId}`
}

type Headers = Readonly<Record<string, string>>
const nothing = Buffer.alloc(0)

/** Headers of every response but its own. Freshness is reported here and never in a body. */
const headersAt = (head: Head | null, limit: Headers): Headers => ({
  ...crossOrigin,
  ...limit,
  ...(head === null ? {} : { 'x-indexed-block': String(head.block) }),
  ...(head === null || head.time === null
    ? {}
    : { 'x-indexed-at': dateOf(head.time).toISOString() }),
})

let writtenHeaders = 0

/** Headers, and the same as they are written first of all. */
class WrittenHeaders {
  /** Of this process. */
  readonly number = ++writtenHeaders
  readonly headers: Headers
  readonly lines: string

  constructor(headers: Headers) {
    this.headers = headers
    this.lines = headerLines(headers).slice('\r\n'.length)
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
  /** A number: the headers of an old head would live as long as a page. */
  private preparedAfter = 0
  private preparedBytes: Buffer = nothing

  constructor({ status, headers, body }: Content) {
    this.status = status
    this.headers = headers
    this.body = body
  }

  /**
   * These headers after those of every response, and the name of the request's id, whose value
   * follows. Bytes, as a string would be converted for each response; made once per head.
   */
  bytesAfter(always: WrittenHeaders): Buffer {
    if (this.preparedAfter !== always.number) {
      const lines = `${always.lines}${headerLines(this.headers)}\r\n${requestIdHeader}`
      // Not a slice of a larger buffer, which would live as long as a page.
      this.preparedBytes = Buffer.allocUnsafeSlow(lines.length)
      this.preparedBytes.write(lines, 'latin1')
      this.preparedAfter = always.number
    }
    return this.preparedBytes
  }
}

/** A negotiated content with the headers of every response. The names of all of them differ. */
export class Response implements HttpResponse, PreparedHeaders {
  readonly status: number
  readonly body: Buffer
  readonly first: Buffer
  readonly rest: string
  private readonly form: Negotiated
  private readonly always: WrittenHeaders
  private readonly requestId: string
  /** Null without limits. */
  private readonly limit: Headers | null

  constructor(form: Negotiated, { requestId, checked }: ResponseContext, head: Head | null) {
    this.status = form.status
    this.body = form.body
    this.form = form
    this.always = (checked === null ? headersUnlimited : headersLimited).at(head)
    this.requestId = requestId
    this.limit = checked === null ? null : limitHeaders(checked)
    this.first = form.bytesAfter(this.always)
    this.rest = this.limit === null ? requestId : requestId + headerLines(this.limit)
  }

  get headers(): Headers {
    const own = { [requestIdHeader]: this.requestId, ...this.limit }
    return { ...this.always.headers, ...this.form.headers, ...own }
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

const json = (status: number, body: unknown): Content => ({
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

/**
 * The forms in which a content is sent; each is prepared at the first request that gets it. They do
 * not hold the content: in a weak map it would outlive collections of the young generation by that,
 * and slow clients of pages that nobody caches had 80 MiB more in memory.
 */
class Forms {
  private plainForm: Negotiated | null = null
  private gzipForm: Negotiated | null = null
  /** 304 to the tag of the plain body and of the compressed one; none without a tag. */
  private readonly unchanged: readonly Unchanged[]

  constructor({ headers: { etag } }: Content) {
    this.unchanged = (etag === undefined ? [] : [etag, gzipTag(etag)]).map((tag) => ({
      tag,
      form: null,
    }))
  }

  plain(content: Content): Negotiated {
    this.plainForm ??= varying(content)
    return this.plainForm
  }

  gzip(content: Content, body: Buffer): Negotiated {
    this.gzipForm ??= gzipped(content, body)
    return this.gzipForm
  }

  /** The answer to a client that has the content already; null if no tag of it matches. */
  matching({ headers }: Content, ifNoneMatch: string, isGzip: boolean): Negotiated | null {
    const [plain, gzip] = this.unchanged
    if (plain === undefined || gzip === undefined) return null
    // The client may have cached the other coding, which is as current.
    const [first, second] = isGzip ? [gzip, plain] : [plain, gzip]
    if (matchesTag(ifNoneMatch, first.tag)) return unchangedForm(first, headers)
    return matchesTag(ifNoneMatch, second.tag) ? unchangedForm(second, headers) : null
  }
}

interface Unchanged {
  readonly tag: string
  form: Negotiated | null
}

function unchangedForm(unchanged: Unchanged, of: Headers): Negotiated {
  if (unchanged.form === null) {
    const { 'content-type': _, ...headers } = of
    const tagged = { ...headers, etag: unchanged.tag }
    unchanged.form = varying({ status: 304, headers: tagged, body: nothing })
  }
  return unchanged.form
}

const forms = new WeakMap<Content, Forms>()

function formsOf(content: Content): Forms {
  const known = forms.get(content)
  if (known !== undefined) return known
  const made = new Forms(content)
  forms.set(content, made)
  return made
}

/** Content negotiation: 304 for a matching ETag, gzip if accepted. Waits for compression only. */
export function negotiated(
  content: Content,
  request: HttpRequest,
  compressor: Pick<Compressor, 'gzip'> | null,
): Negotiated | Promise<Negotiated> {
  const forms = formsOf(content)
  const isGzip =
    content.body.length >= gzipFromBytes && acceptsGzip(headerOf(request, 'accept-encoding'))
  const ifNoneMatch = headerOf(request, 'if-none-match')
  const unchanged = ifNoneMatch === '' ? null : forms.matching(content, ifNoneMatch, isGzip)
  if (unchanged !== null) return unchanged
  const compressed = isGzip && compressor !== null ? compressor.gzip(content) : null
  if (compressed === null) return forms.plain(content)
  return compressed instanceof Promise
    ? compressed.then((body) => forms.gzip(content, body))
    : forms.gzip(content, compressed)
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

/** A content as it is, without negotiation. */
export const asIs = (content: Content): Negotiated => new Negotiated(content)

/** Answers 503 to every API request while servers, topics or tables are not available yet. */
export const notReady: HttpHandler = async (request) => {
  const content = request.method === 'OPTIONS' ? permission : failure('unavailable')
  const context = { requestId: requestIdOf(request), checked: null }
  return new Response(await negotiated(content, request, null), context, null)
}
