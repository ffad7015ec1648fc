import type { Endpoint } from '../../libs/presenters/endpoints.ts'
import type { Declared } from '../../libs/presenters/parameters/query.ts'

export interface MalformedRequest {
  readonly target: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
}

/** Texts that no parameter should trip over; some of them are values that some parameter takes. */
const texts = [
  ...['', 'null', '0', '1', '-1', '+1', '1e9', '1.5', 'NaN', 'Infinity', '0x', '0x0', ' 1 '],
  ...['9007199254740993', '9223372036854775807', '9223372036854775808', '9'.repeat(400)],
  (2n ** 256n - 1n).toString(),
  (2n ** 256n).toString(),
  ...[`0x${'a'.repeat(40)}`, `0x${'Z'.repeat(40)}`, `0X${'a'.repeat(40)}`, `0x${'b'.repeat(64)}`],
  ...['%', '%zz', '%00', '%ff', '%c3', '%25', '%E2%82', '+', '%2B', '%0d%0a', "'; DROP TABLE x"],
  ...['to', 'from', 'TO', 'asc', 'value', 'true', 'yes', 'ERC-20', '[ERC-721,erc-1155]', ',,'],
  ...['2026-01-01T00:00:00Z', '2026-13-45 99:99:99', '[]', '{}', '[object Object]', '../../etc'],
]

const segments = [
  ...['api', 'v2', 'addresses', 'tokens', 'transactions', 'nft', '..', '.', '%2e%2e', ''],
  ...['%00', '%zz', 'transfers', 'summary', 'holders', 'logs', 'token-balances', ';', '*'],
]

const methods = ['GET', 'GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH']
const accepts = ['*/*', '*/*', '*/*', 'text/html', 'application/json', ';;,', 'q=0', '']

/** Numbers in 0 .. 2^32-1, the same for the same seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

/** Requests that are wrong somewhere, mostly: paths, names, values, methods, headers. */
export function malformedRequests(
  seed: number,
  endpoints: readonly Endpoint<Declared>[],
): () => MalformedRequest {
  const draw = random(seed)
  const pick = <T>(from: readonly T[], otherwise: T): T => from[draw() % from.length] ?? otherwise
  const chance = (outOf: number) => draw() % outOf === 0
  const text = () => encodeSometimes(pick(texts, ''), chance(2))
  const subject = () => (chance(3) ? text() : `0x${'ab'.repeat(chance(2) ? 20 : 32)}`)

  const path = (endpoint: Endpoint<Declared> | undefined): string => {
    if (endpoint !== undefined && !chance(6)) return endpoint.path.replace(/\{\w+\}/, subject())
    const count = draw() % 7
    return `/api/v2/${Array.from({ length: count }, () => pick(segments, '')).join('/')}`
  }
  const query = (endpoint: Endpoint<Declared> | undefined): string => {
    if (chance(40)) return `?${'a=1&'.repeat(1_250 + (draw() % 9_000))}`
    const names = [...Object.keys(endpoint?.parameters.shape ?? {}), 'apikey', '__proto__', '%zz']
    const pairs = Array.from({ length: draw() % 5 }, () => `${pick(names, 'x')}=${text()}`)
    return pairs.length === 0 ? '' : `?${pairs.join(chance(20) ? '&&=&' : '&')}`
  }
  return () => {
    const endpoint = endpoints[draw() % endpoints.length]
    return {
      target: path(endpoint) + query(endpoint),
      method: pick(methods, 'GET'),
      headers: {
        accept: pick(accepts, '*/*'),
        'if-none-match': chance(9) ? '*' : text().slice(0, 9),
      },
    }
  }
}

const encodeSometimes = (text: string, isEncoded: boolean): string =>
  isEncoded ? encodeURIComponent(text) : text.replaceAll(/[\s#]/g, '+')
