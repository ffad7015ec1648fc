import fresh from 'fresh'
import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import type { HttpRequest } from '../../../libs/ports/http.ts'
import { decoded } from '../../../libs/presenters/parameters.ts'
import type { Route } from '../endpoints/route.ts'

/** Path segments, decoded; empty segments are ignored. */
export const segmentsOf = (path: string): readonly string[] =>
  path
    .split('/')
    .filter((segment) => segment !== '')
    .map(decoded)

/** The route of a path, and the value of its one parameter. */
export interface Match {
  readonly route: Route
  readonly subject: string
}

const isParameter = (segment: string): boolean => segment.startsWith('{')

/** Finds routes by their declared paths. */
export function router(routes: readonly Route[]): (segments: readonly string[]) => Match | null {
  const declared = routes.map((route) => ({ route, pattern: segmentsOf(route.path) }))
  return (segments) => {
    const found = declared.find(
      ({ pattern }) =>
        pattern.length === segments.length &&
        pattern.every((part, at) => isParameter(part) || part === segments[at]),
    )
    if (found === undefined) return null
    return { route: found.route, subject: segments[found.pattern.findIndex(isParameter)] ?? '' }
  }
}

/**
 * Longer headers are treated as absent, as parsing them would take the time of many answers.
 */
const acceptCharactersMax = 1_024
const tagsCharactersMax = 8_192

/** Bound of all headers together; a larger request is rejected before any of them is read. */
export const headerCharactersMax = 16 * 1024

/** One header of a request; empty if it was not sent. */
export const headerOf = (request: Pick<HttpRequest, 'headers' | 'header'>, name: string): string =>
  request.header === undefined ? (request.headers[name] ?? '') : request.header(name)

/** Length of all headers of a request. */
export function headerCharacters(request: HttpRequest): number {
  if (request.headerCharacters !== undefined) return request.headerCharacters()
  const { headers } = request
  let characters = 0
  for (const name in headers) characters += name.length + (headers[name]?.length ?? 0)
  return characters
}

const isJson = (range: string): boolean =>
  range === '*/*' || range === 'application/*' || /^application\/(.*\+)?json$/.test(range)

/** Clients send few different values: each is parsed once, while it is among the last ones. */
const parsedHeadersMax = 256

function parsedOnce(parse: (header: string) => boolean): (header: string) => boolean {
  const parsed = new LRUCache<string, boolean>({ max: parsedHeadersMax })
  // Often the same again: to compare two strings is faster than to look one up.
  let latest = { header: '', result: parse('') }
  return (header) => {
    if (header === latest.header) return latest.result
    const known = parsed.get(header)
    const result = known ?? parse(header)
    if (known === undefined) parsed.set(header, result)
    latest = { header, result }
    return result
  }
}

const parsedAccept = parsedOnce((accept) =>
  new Negotiator({ headers: { accept: accept.toLowerCase() } }).mediaTypes().some(isJson),
)

/** Whether an Accept header accepts JSON, under any of its media types. */
export const acceptsJson = (accept = ''): boolean =>
  accept.length > acceptCharactersMax || accept.trim() === '' || parsedAccept(accept)

const parsedEncodings = parsedOnce(
  (encodings) =>
    new Negotiator({ headers: { 'accept-encoding': encodings } }).encoding(['gzip', 'identity']) ===
    'gzip',
)

/** Whether gzip is the preferred one of the codings that an Accept-Encoding header accepts. */
export const acceptsGzip = (encodings = ''): boolean =>
  encodings !== '' && encodings.length <= acceptCharactersMax && parsedEncodings(encodings)

/** Whether If-None-Match has this ETag, by weak comparison. */
export const matchesTag = (ifNoneMatch = '', etag: string): boolean =>
  ifNoneMatch === etag ||
  (ifNoneMatch !== '' &&
    ifNoneMatch.length <= tagsCharactersMax &&
    fresh({ 'if-none-match': ifNoneMatch }, { etag }))
