import { z } from 'zod'

/** What a mixed load requests. */
export interface Endpoint {
  /** Template with one `{name}`, as in the API's routes. */
  readonly path: string
  readonly subject: 'addresses' | 'tokens' | 'transactions'
}

const hashes = (digits: number) =>
  z.array(z.string().regex(new RegExp(`^0x[0-9a-f]{${digits}}$`))).min(1)

/** A file of subjects: of each kind, the busiest first. */
export const subjectsForm = z.strictObject({
  addresses: hashes(40),
  tokens: hashes(40),
  transactions: hashes(64),
})

export interface Targets {
  readonly endpoints: readonly Endpoint[]
  readonly subjects: Readonly<Record<Endpoint['subject'], readonly string[]>>
}

/** A fraction in 0 <= x < 1, at random. */
export type Fraction = () => number

/**
 * Ranks 0 .. count-1, rank r with a weight of 1 / (r + 1) ** exponent. With an exponent of 1 the
 * first of 10,000 gets a tenth of all requests, as pages of an explorer do.
 */
export function zipf(count: number, exponent: number): (fraction: number) => number {
  const sums: number[] = []
  let sum = 0
  for (let rank = 1; rank <= count; rank++) {
    sum += rank ** -exponent
    sums.push(sum)
  }
  return (fraction) => {
    const wanted = fraction * sum
    let [low, high] = [0, count - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? sum) > wanted) high = middle
      else low = middle + 1
    }
    return low
  }
}

export interface Requested {
  readonly endpoint: Endpoint
  readonly target: string
}

/** Endpoints alike, subjects by Zipf's law. */
export function trafficOf(
  { endpoints, subjects }: Targets,
  exponent: number,
  fraction: Fraction,
): () => Requested {
  const ranks = {
    addresses: zipf(subjects.addresses.length, exponent),
    tokens: zipf(subjects.tokens.length, exponent),
    transactions: zipf(subjects.transactions.length, exponent),
  }
  return () => {
    const endpoint = endpoints[Math.floor(fraction() * endpoints.length)]
    if (endpoint === undefined) throw new Error('no endpoints')
    const subject = subjects[endpoint.subject][ranks[endpoint.subject](fraction())]
    if (subject === undefined) throw new Error(`no ${endpoint.subject}`)
    return { endpoint, target: endpoint.path.replace(/\{.*\}/, subject) }
  }
}

/** The query string of a next page, or undefined on the last one. */
export function nextQuery(parameters: unknown): string | undefined {
  if (typeof parameters !== 'object' || parameters === null) return undefined
  return Object.entries(parameters)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
}
