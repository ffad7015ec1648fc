import { decoded } from '../../../libs/presenters/parameters.ts'
import type { Route } from '../endpoints/pipeline/route.ts'

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
