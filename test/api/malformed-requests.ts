import type { Endpoint } from '../../libs/presenters/open-api/open-api.ts'
import type { Declared } from '../../libs/presenters/parameters.ts'
import { mulberry32 } from '../../services/demo-chain/random.ts'

export interface MalformedRequest {
  readonly target: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
}

/** Whom real data is about, the busiest first. */
export interface RealSubjects {
  readonly addresses: readonly string[]
  readonly tokens: readonly string[]
  readonly transactions: readonly string[]
}

/** Texts that no parameter should trip over; some of them are values that some parameter takes. */
export const texts: readonly string[] = [
  ...['', 'null', '0', '1', '-1', '+1', '1e9', '1.5', 'NaN', 'Infinity', '0x', '0x0', ' 1 '],
  ...['9007199254740993', '9223372036854775807', '9223372036854775808', '9'.repeat(400)],
  (2n ** 256n - 1n).toString(),
  (2n ** 256n).toString(),
  ...[`0x${'a'.repeat(40)}`, `0x${'Z'.repeat(40)}`, `0X${'a'.repeat(40)}`, `0x${'b'.repeat(64)}`],
  ...['%', '%zz', '%00', '%ff', '%c3', '%25', '%E2%82', '+', '%2B', '%0d%0a', "'; DROP TABLE x"],
  ...['to', 'from', 'TO', 'asc', 'value', 'true', 'yes', 'ERC-20', '[ERC-721,erc-1155]', ',,'],
  ...['2026-01-01T00:00:00Z', '2026-13-45 99:99:99', '[]', '{}', '[object Object]', '../../etc'],
]

/** Places that no page ever named, yet a cursor may: beyond all rows, before them, half given. */
const odd = {
  amounts: ['0', '1', '007', (2n ** 256n - 1n).toString(), '1000000000000000000', 'null', ''],
  indexes: ['0', '3', '4294967295', '4294967296', '9223372036854775807', 'null', ''],
  blocks: ['0', '17686110', '17686111', '9223372036854775807', 'null', ''],
  ids: ['0', '1', '8589934592', '9223372036854775807', 'null'],
  hashes: [`0x${'0'.repeat(64)}`, `0x${'F'.repeat(64)}`, 'null', ''],
  addresses: [`0x${'0'.repeat(40)}`, `0x${'F'.repeat(40)}`, 'null', ''],
}

/** Values that parameters take, by their names. */
const validByName: Readonly<Record<string, readonly string[]>> = {
  ...{ value: odd.amounts, fee: odd.amounts, token_id: odd.amounts, id: odd.ids },
  ...{ index: odd.indexes, batch_log_index: odd.indexes, index_in_batch: odd.indexes },
  ...{ hash: odd.hashes, batch_block_hash: odd.hashes, batch_transaction_hash: odd.hashes },
  ...{ address_hash: odd.addresses, token_contract_address_hash: odd.addresses },
  block_number: odd.blocks,
  topic: ['0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef', ...odd.hashes],
  items_count: ['1', '7', '100', '0050', '9'.repeat(99), 'null'],
  type: ['', '[]', 'ERC-20', '[ERC-721,erc-1155]', 'erc-404', 'ERC-7984'],
  token_type: ['ERC-20', 'erc-721', 'ERC-1155', 'ERC-404', 'ERC-7984', 'null'],
  filter: ['to', 'from', ''],
  sort: ['value', 'fee', 'block_number', ''],
  order: ['asc', 'desc', ''],
  inserted_at: ['2026-01-01T00:00:00Z', '0000-01-01 00:00:00', 'null'],
  fiat_value: ['0', '1.5', '9'.repeat(78), 'null'],
  token_name: ['', 'null', "'; DROP TABLE x", '%00'],
  just_request_body: ['true', 'false', ''],
}
/** Values that each parameter takes, odd ones among them. */
export const validValues: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(validByName),
)

const segments = [
  ...['api', 'v2', 'addresses', 'tokens', 'transactions', 'nft', '..', '.', '%2e%2e', ''],
  ...['%00', '%zz', 'transfers', 'summary', 'holders', 'logs', 'token-balances', ';', '*'],
]

// Most requests are refused for one thing only, so that the others are met as well.
const gets = Array.from({ length: 18 }, () => 'GET')
const methods = [...gets, 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH']
const anything = Array.from({ length: 18 }, () => '*/*')
const accepts = [...anything, 'text/html', 'application/json', ';;,', 'q=0', '']

/** Requests that are wrong somewhere, mostly: paths, names, values, methods, headers. */
export function malformedRequests(
  seed: number,
  endpoints: readonly Endpoint<Declared>[],
  real: RealSubjects,
): () => MalformedRequest {
  const declared = endpoints.flatMap(({ parameters }) => Object.keys(parameters.shape))
  const unknown = declared.filter((name) => !validValues.has(name))
  if (unknown.length > 0) throw new Error(`no valid values are written down of ${unknown}`)
  const draw = mulberry32(seed)
  const pick = <T>(from: readonly T[], otherwise: T): T => from[draw() % from.length] ?? otherwise
  const chance = (outOf: number) => draw() % outOf === 0
  const text = () => encodeSometimes(pick(texts, ''), chance(2))
  const subject = ({ path, subject: kind }: Endpoint<Declared>) => {
    if (chance(6)) return text()
    if (chance(9)) return `0x${'ab'.repeat(chance(2) ? 20 : 32)}`
    if (kind === 'transaction') return pick(real.transactions, '')
    return pick(path.includes('/tokens/') ? real.tokens : real.addresses, '')
  }

  const path = (endpoint: Endpoint<Declared> | undefined): string => {
    if (endpoint !== undefined && !chance(6))
      return endpoint.path.replace(/\{\w+\}/, subject(endpoint))
    const count = draw() % 7
    return `/api/v2/${Array.from({ length: count }, () => pick(segments, '')).join('/')}`
  }
  const query = (endpoint: Endpoint<Declared> | undefined): string => {
    if (chance(40)) return `?${'a=1&'.repeat(1_250 + (draw() % 6_500))}`
    const names = [...Object.keys(endpoint?.parameters.shape ?? {}), 'apikey', '__proto__', '%zz']
    // Most queries hold no wrong value: what is asked with them reaches the tables.
    const isWrong = chance(3)
    const pairs = Array.from({ length: draw() % 5 }, () => {
      const name = pick(names, 'x')
      const value = pick(validValues.get(name) ?? [''], '')
      return `${name}=${isWrong ? text() : encodeURIComponent(value)}`
    })
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
