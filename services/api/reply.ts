import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { HttpRequest, HttpResponse } from '../../libs/ports/http.ts'
import { type ErrorCode, errorBody, errors, type Fault } from '../../libs/presenters/errors.ts'
import { jsonType, revalidated } from './headers.ts'
import { acceptsGzip, matchesTag } from './requests.ts'

const compressed = promisify(gzip)
/** Smaller bodies fit into a packet as they are. */
const gzipFromBytes = 1_024
/** Most of the gain at a third of the time of the usual level. */
const gzipLevel = 4

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

/** Seconds. */
const retryAfter = { 'retry-after': '1' }

/** Fits content to the request: 304 for a known tag, gzip if asked, no body for HEAD. */
export async function fitted(content: Content, request: HttpRequest): Promise<HttpResponse> {
  const { etag } = content.headers
  if (etag !== undefined && matchesTag(request.headers['if-none-match'], etag)) {
    const { 'content-type': _, ...headers } = content.headers
    return { status: 304, headers, body: nothing }
  }
  const isGzip =
    content.body.length >= gzipFromBytes && acceptsGzip(request.headers['accept-encoding'])
  const body = isGzip ? await compressed(content.body, { level: gzipLevel }) : content.body
  const headers = {
    ...content.headers,
    vary: 'accept-encoding',
    ...(isGzip ? { 'content-encoding': 'gzip' } : {}),
  }
  if (request.method !== 'HEAD') return { status: content.status, headers, body }
  const length = { 'content-length': String(body.length) }
  return { status: content.status, headers: { ...headers, ...length }, body: nothing }
}

const nothing = Buffer.alloc(0)
