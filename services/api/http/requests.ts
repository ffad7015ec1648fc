import type { HttpRequest } from '../../../libs/ports/http.ts'
import { decoded } from '../../../libs/presenters/parameters/query.ts'
import type { Route } from '../endpoints/route.ts'

/** Path segments, decoded; a slash too many, at the end or between, does not matter. */
export const segmentsOf = (path: string): readonly string[] =>
  path
    .split('/')
    .filter((segment) => segment !== '')
    .map(decoded)

/** A route that a path belongs to, with what stands at its one parameter. */
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
 * Longer headers are not looked through, as that would take the time of many answers: such a client
 * gets what one gets that sends none.
 */
const acceptCharactersMax = 1_024
const tagsCharactersMax = 8_192

/** All headers together; more are refused before any of them is read. */
export const headerCharactersMax = 32 * 1024

/** How long all headers of a request are together. */
export function headerCharacters({ headers }: HttpRequest): number {
  let characters = 0
  for (const name in headers) characters += name.length + (headers[name]?.length ?? 0)
  return characters
}

/** Whether a client that sends this Accept header takes JSON. */
export function acceptsJson(accept = ''): boolean {
  if (accept.length > acceptCharactersMax || accept.trim() === '') return true
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const isJson =
      type === '*/*' || type === 'application/*' || /^application\/(.*\+)?json$/.test(type)
    return isJson && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}

/** Whether a client that sends this Accept-Encoding header takes gzip. */
export function acceptsGzip(encodings = ''): boolean {
  if (encodings.length > acceptCharactersMax) return false
  return encodings.split(',').some((range) => {
    const [coding = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return coding === 'gzip' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}

/** Whether one of the tags of If-None-Match is this one; weak ones compare equal. */
export const matchesTag = (ifNoneMatch = '', etag: string): boolean =>
  ifNoneMatch.length <= tagsCharactersMax &&
  ifNoneMatch
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === etag || tag === '*')
