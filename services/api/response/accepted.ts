import fresh from 'fresh'
import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'

/**
 * Longer headers are treated as absent, as parsing them would take the time of many answers.
 */
const acceptCharactersMax = 1_024
const tagsCharactersMax = 8_192

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
