import { createHash } from 'node:crypto'
import type { HttpRequest, HttpResponse } from '../../libs/ports/http.ts'
import { type ErrorCode, errorBody, errors, type Fault } from '../../libs/presenters/errors.ts'
import type { Compressor } from './compressor.ts'
import { jsonType, preflight, revalidated } from './headers.ts'
import { acceptsGzip, matchesTag } from './requests.ts'

/** Smaller bodies fit into a packet as they are. */
const gzipFromBytes = 1_024

/** An answer before it is fitted to what the client takes. */
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

/** A 200 that clients may keep and ask about by its tag. */
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

/** Never kept: the next answer may differ. */
export function failure(code: ErrorCode, faults: readonly Fault[] = []): Content {
  const { status, headers, body } = json(errors[code].status, errorBody(code, faults))
  const retry: Record<string, string> = code === 'unavailable' ? retryAfter : {}
  return { status, headers: { ...headers, 'cache-control': 'no-store', ...retry }, body }
}

/** To OPTIONS of any path: what browsers may send. */
export const permission: Content = { status: 204, headers: preflight, body: Buffer.alloc(0) }

/** To a page of ours, for now. */
export const redirect = (location: string): Content => ({
  status: 302,
  headers: { location, 'cache-control': revalidated },
  body: Buffer.alloc(0),
})

/** Seconds. */
const retryAfter = { 'retry-after': '1' }

/** Fits content to the request: 304 for a known tag, gzip if asked. */
export async function fitted(
  content: Content,
  { headers: sent }: HttpRequest,
  compressor: Pick<Compressor, 'gzip'> | null,
): Promise<HttpResponse> {
  const isGzip = content.body.length >= gzipFromBytes && acceptsGzip(sent['accept-encoding'])
  const { etag: plain } = content.headers
  const gzipped = plain && gzipTag(plain)
  const vary = { vary: 'accept-encoding' }
  const tags = isGzip ? [gzipped, plain] : [plain, gzipped]
  // What a client kept in the other coding is as current.
  const kept = tags.find((tag) => tag && matchesTag(sent['if-none-match'], tag))
  if (kept !== undefined) {
    const { 'content-type': _, ...headers } = content.headers
    return { status: 304, headers: { ...headers, ...vary, etag: kept }, body: nothing }
  }
  const smaller = isGzip && compressor !== null ? await compressor.gzip(content) : null
  const coding: Record<string, string> = smaller === null ? {} : { 'content-encoding': 'gzip' }
  if (smaller !== null && gzipped !== undefined) coding.etag = gzipped
  const headers = { ...content.headers, ...vary, ...coding }
  return { status: content.status, headers, body: smaller ?? content.body }
}

/** A strong tag stands for bytes: each coding has its own. @param etag of the plain body. */
const gzipTag = (etag: string): string => `${etag.slice(0, -1)}-gzip"`

const nothing = Buffer.alloc(0)
