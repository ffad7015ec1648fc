import { createHash } from 'node:crypto'
import type { HttpRequest, HttpResponse } from '../../../libs/ports/http.ts'
import { type ErrorCode, errorBody, errors, type Fault } from '../../../libs/presenters/errors.ts'
import type { Compressor } from './compressor.ts'
import { jsonType, preflight, revalidated } from './headers.ts'
import { acceptsGzip, matchesTag } from './requests.ts'

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
