import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import { errors } from '../../../libs/presenters/errors.ts'
import { checkDeclared } from '../../../libs/presenters/testing/declared.ts'
import { documentPath, viewer } from '../../../services/api/docs/viewer.ts'
import type { RawOutcome, RawResponse } from '../../support/raw-connection.ts'

/** What was asked, as far as the answer depends on it. */
export interface Judged {
  readonly method: string
  /** As sent, in whatever spelling. */
  readonly target: string
  /** The ETag, or `*`, of a request on condition; else null. */
  readonly ifNoneMatch: string | null
  /** Not HTTP as the library takes it: that may refuse it in its own words, or close. */
  readonly isOutside: boolean
  /** Request line and headers. */
  readonly headBytes: number
}

/** In the words of the HTTP library, before any handler. */
const ofLibrary: ReadonlySet<number> = new Set([400, 431, 505])

/** To a larger head that does not come in one read of the socket, the library answers itself. */
export const headBytesOfLibrary = 16 * 1024

const fault = z.strictObject({
  title: z.literal('Invalid value'),
  source: z.strictObject({ pointer: z.string() }),
  detail: z.string().min(1),
})
const errorShape = z.strictObject({
  message: z.string(),
  errors: z.array(fault).min(1).optional(),
})
const messages = new Map<number, string>(
  Object.values(errors).map(({ status, message }) => [status, message]),
)

/** @returns what is wrong with the answer; null if it is as the contract wants it */
export function complaintAbout(asked: Judged, outcome: RawOutcome): string | null {
  const { method, target, isOutside, headBytes } = asked
  const about = (words: string) => `${method} ${target.slice(0, 300)}: ${words}`
  if (outcome === 'none') return isOutside ? null : about('not answered')
  if (typeof outcome === 'string') return about(outcome)
  const isTooLarge = headBytes >= headBytesOfLibrary && outcome.status === 431
  const mayRefuse = isTooLarge || (isOutside && ofLibrary.has(outcome.status))
  if (mayRefuse && !isOurs(outcome)) return null
  try {
    checkResponse(asked, outcome)
    return null
  } catch (error) {
    const text = outcome.body.subarray(0, 200).toString('latin1')
    return about(`${outcome.status} ${text}: ${String(error).slice(0, 500)}`)
  }
}

const isOurs = ({ headers }: RawResponse) => headers.has('x-request-id')

/** Types of what browsers show. */
const pages = new Map([
  ['/', 'text/html'],
  ['/docs', 'text/html'],
  ...[...viewer().files].map(
    ([path, { headers }]) => [path, headers['content-type'] ?? ''] as const,
  ),
  ['/api/status/status.css', 'text/css'],
  ['/api/status/status.js', 'text/javascript'],
])

const always = ['x-request-id', 'access-control-allow-origin', 'x-ratelimit-limit']

function checkResponse(
  { method, target, ifNoneMatch }: Judged,
  { status, headers, body }: RawResponse,
): void {
  for (const name of always) if (!headers.has(name)) throw new Error(`without ${name}`)
  const isBodiless = [204, 304, 302].includes(status)
  if (isBodiless && body.length > 0) throw new Error('with a body')
  if (status === 204 && method !== 'OPTIONS') throw new Error('204 to another method than OPTIONS')
  if (status === 304 && ifNoneMatch !== '*' && ifNoneMatch !== headers.get('etag')) {
    throw new Error(`304 to ${ifNoneMatch ?? 'a request without a condition'}`)
  }
  if (isBodiless) return
  if (method === 'HEAD' && !headers.has('content-length')) throw new Error('HEAD without a length')
  const path = plain(target)
  const ofPage = status === 200 ? pages.get(path) : undefined
  const type = headers.get('content-type')
  const wanted = ofPage ?? 'application/json'
  if (!type?.startsWith(wanted)) throw new Error(`of type ${type}`)
  if (method === 'HEAD' || ofPage !== undefined) return
  const isGzip = headers.get('content-encoding') === 'gzip'
  const parsed: unknown = JSON.parse((isGzip ? gunzipSync(body) : body).toString('utf8'))
  if (status !== 200) checkError(status, headers, parsed)
  else if (path !== documentPath) checkDeclared(path, parsed)
}

function checkError(status: number, headers: RawResponse['headers'], parsed: unknown): void {
  const { message, errors: faults } = errorShape.parse(parsed)
  if (status >= 500 && status !== 503) throw new Error('a fault of the server')
  if (messages.get(status) !== message) throw new Error('not the sentence of its status')
  if ((faults === undefined) === (status === 422)) throw new Error('faults are of 422 alone')
  if (status === 503 && headers.get('retry-after') !== '1') throw new Error('without Retry-After')
  if (status === 405 && !headers.has('allow')) throw new Error('without Allow')
}

/** The path without its spelling. */
export function plain(target: string): string {
  const [path = ''] = target.split('?', 1)
  const segments = path.split('/').filter((segment) => segment !== '')
  return `/${segments.map(decoded).join('/')}`
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
