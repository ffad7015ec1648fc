import { type Fraction, nextQuery, type Targets, trafficOf } from './traffic.ts'

/** What an earlier request has shown of a page. */
export interface SeenPage {
  /** Path and query of the page. */
  readonly target: string
  readonly etag: string | null
  /** Of the page after it; null if it is the last. */
  readonly next: string | null
}

export const seenPage = (target: string, etag: string | null, body: unknown): SeenPage => {
  const cursor =
    typeof body === 'object' && body !== null && 'next_page_params' in body
      ? nextQuery(body.next_page_params)
      : undefined
  const path = target.split('?')[0]
  return { target, etag, next: cursor === undefined ? null : `${path}?${cursor}` }
}

export interface AttackOptions {
  readonly origin: string
  readonly targets: Targets
  /** Pages that were requested before, for cursors and tags. */
  readonly seen: readonly SeenPage[]
  /** Exponent of Zipf's law. */
  readonly exponent: number
  /** Of all requests; both together at most 1. */
  readonly deepShare: number
  readonly conditionalShare: number
  /** Sent as `x-api-key`; null for none. */
  readonly apiKey: string | null
}

/** @returns what gives the next request, as a line of vegeta's JSON format */
export function attackTargets(options: AttackOptions, fraction: Fraction): () => string {
  const { origin, targets, seen, exponent, deepShare, conditionalShare, apiKey } = options
  const first = trafficOf(targets, exponent, fraction)
  const deep = seen.flatMap(({ next }) => next ?? [])
  const tagged = seen.flatMap(({ target, etag }) => (etag === null ? [] : [{ target, etag }]))
  const anyOf = <T>(all: readonly T[]): T | undefined => all[Math.floor(fraction() * all.length)]
  const line = (target: string, headers: Readonly<Record<string, string>> = {}) => {
    const sent = {
      'Accept-Encoding': 'gzip',
      ...headers,
      ...(apiKey === null ? {} : { 'X-Api-Key': apiKey }),
    }
    const header = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, [value]]))
    return JSON.stringify({ method: 'GET', url: origin + target, header })
  }
  return () => {
    const dice = fraction()
    const cursor = dice < deepShare ? anyOf(deep) : undefined
    const known = dice >= 1 - conditionalShare ? anyOf(tagged) : undefined
    if (cursor !== undefined) return line(cursor)
    if (known !== undefined) return line(known.target, { 'If-None-Match': known.etag })
    return line(first().target)
  }
}
