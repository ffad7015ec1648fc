import type { Endpoint } from '../../../libs/presenters/open-api/open-api.ts'
import type { Declared } from '../../../libs/presenters/parameters.ts'
import { viewer } from '../../../services/api/docs/viewer.ts'
import { routes } from '../../../services/api/endpoints/routes.ts'
import { texts, validValues } from '../../api/malformed-requests.ts'
import type { Random } from '../../queries/random.ts'
import type { Judged } from './judged-response.ts'
import type { SeenCursors } from './seen-cursors.ts'
import type { SeenPage, SeenPages } from './seen-pages.ts'
import { spelled } from './spelled.ts'

/** A request as bytes, and what a judge has to know of it. */
export interface AttackRequest extends Judged {
  readonly bytes: Buffer
  /** Whether the server closes after it, or has to be left. */
  readonly isLast: boolean
}

/** What is asked about. */
export interface Targets {
  readonly addresses: readonly string[]
  readonly tokens: readonly string[]
  readonly transactions: readonly string[]
  /** Addresses and hashes that no chain has: so many, that caches are full of them soon. */
  readonly strangers: { readonly addresses: readonly string[]; readonly hashes: readonly string[] }
  readonly cursors: SeenCursors
  readonly pages: SeenPages
  readonly headBlock: () => number
  /** ETags that the server gave. */
  readonly tags: string[]
}

const besides = [
  ...['/api/docs/openapi.json', '/api/docs/swagger-ui.css', ...viewer().files.keys()],
  ...['/', '/docs', '/docs/', '/api/v2/openapi.json', '/health/live', '/health/ready', '/metrics'],
  ...['/api/status/status.js', '/api/status/status.css', '/api/status'],
  ...['/favicon.ico', '/api/v2', '/api/v1/addresses', '/api/v2/blocks/1', '/api/v2/search?q=x'],
  ...[
    '/..%2f..%2fetc/passwd',
    '/%00',
    '/%',
    '//',
    '/api//v2//',
    '/*',
    '/api/v2/tokens',
    '/.git/config',
  ],
]
const sizes = ['1', '7', '50', '100']
const longTexts = [1_000, 1_024, 4_900, 5_100, 9_000, 20_000]

/** The request of that number: the same for the same random numbers and what was seen before. */
export function attackRequest(random: Random, targets: Targets): AttackRequest {
  const one = random.below(100)
  if (one < 3) return outside(random, targets)
  if (one < 6) return withBody(random, targets)
  const method = methodOf(random)
  const target = targetOf(random, targets)
  const isLast = random.below(50) === 0
  const headers = [...headersOf(random, targets), ...(isLast ? ['connection: close'] : [])]
  return { ...wellFormed(method, target, headers), isLast }
}

/** Of one list that is read anew: for bursts. */
export const plainRequest = (target: string): AttackRequest => wellFormed('GET', target, [])

/** For a page that a client has received before, often on condition that it has changed. */
export function repeatedRequest({ below }: Random, { target, tag }: SeenPage): AttackRequest {
  const headers = below(2) === 0 ? ['accept-encoding: gzip'] : []
  if (below(3) === 0) headers.push(`if-none-match: ${tag}`)
  return wellFormed(below(16) === 0 ? 'HEAD' : 'GET', target, headers)
}

function wellFormed(method: string, target: string, headers: readonly string[]): AttackRequest {
  const bytes = bytesOf({ method, target, headers })
  const ifNoneMatch = tagIn(headers)
  const headBytes = bytes.length
  return { method, target, ifNoneMatch, headBytes, isOutside: false, isLast: false, bytes }
}

const condition = 'if-none-match: '

const tagIn = (headers: readonly string[]): string | null =>
  headers.find((header) => header.startsWith(condition))?.slice(condition.length) ?? null

export function targetOf(random: Random, targets: Targets): string {
  if (random.below(25) === 0) return random.oneOf(besides)
  const seen = random.below(4) === 0 ? targets.cursors.one(random) : null
  if (seen !== null && random.below(2) === 0)
    return spelled(written(seen.path, seen.parameters), random)
  const endpoint = random.oneOf(routes)
  const path = endpoint.path.replace(/\{\w+\}/, subjectOf(random, endpoint, targets))
  const pairs = [
    ...(seen === null ? [] : damaged(seen.parameters, random)),
    ...pairsOf(random, endpoint, targets),
  ]
  return spelled(written(path, pairs), random)
}

type Pair = readonly [name: string, value: string]

const written = (path: string, pairs: readonly Pair[]): string =>
  pairs.length === 0
    ? path
    : `${path}?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`

function subjectOf(
  random: Random,
  { path, subject }: Endpoint<Declared>,
  targets: Targets,
): string {
  const { strangers } = targets
  const kind = random.below(20)
  if (kind === 0) return encodeURIComponent(random.oneOf(texts)) || '0x'
  if (subject === 'transaction') {
    return random.oneOf(kind < 6 ? strangers.hashes : targets.transactions)
  }
  if (kind < 6) return random.oneOf(strangers.addresses)
  return random.oneOf(path.startsWith('/api/v2/tokens/') ? targets.tokens : targets.addresses)
}

/** A cursor as it is, of another list, or with one value that somebody has changed. */
function damaged(pairs: readonly Pair[], random: Random): readonly Pair[] {
  if (random.below(2) === 0) return pairs
  const at = random.below(Math.max(1, pairs.length))
  return pairs.map((pair, index): Pair => (index === at ? [pair[0], random.oneOf(texts)] : pair))
}

function pairsOf(random: Random, { parameters }: Endpoint<Declared>, targets: Targets): Pair[] {
  const { below, oneOf } = random
  const names = Object.keys(parameters.shape)
  const near = () => targets.headBlock() - below(12) + 4
  const kinds: readonly (() => readonly Pair[])[] = [
    () => [],
    () => [['items_count', oneOf(sizes)]],
    () =>
      Array.from({ length: 1 + below(4) }, () =>
        validPair(oneOf(names.length > 0 ? names : ['x']), random),
      ),
    // Sentinels, places near the head, and deep ones.
    () => [
      ['block_number', oneOf(['99999999', '9007199254740991'])],
      ['index', '0'],
    ],
    () => [
      ['block_number', String(near())],
      ['index', String(below(6))],
      ['items_count', oneOf(sizes)],
    ],
    () => [
      ['block_number', String(below(60))],
      ['index', String(below(6))],
    ],
    () => [
      ['value', String(below(10 ** 4))],
      ['id', String(below(10 ** 9))],
    ],
    () => [
      ['address_hash', oneOf(targets.addresses)],
      ['value', String(below(10 ** 4))],
    ],
    () => [
      ['sort', oneOf(['value', 'fee'])],
      ['order', oneOf(['asc', 'desc'])],
    ],
    () => [
      ['batch_log_index', String(below(9))],
      ['index_in_batch', '0'],
      ['batch_transaction_hash', oneOf(targets.transactions)],
      ['batch_block_hash', oneOf(targets.strangers.hashes)],
    ],
    () => [[oneOf([...names, 'x', 'apikey']), 'y'.repeat(oneOf(longTexts))]],
    () => [['items_count', oneOf(['0', '-1', '101', '1e3', '9'.repeat(300)])]],
  ]
  return [...oneOf(kinds)()]
}

const validPair = (name: string, { oneOf }: Random): Pair => [
  name,
  oneOf(validValues.get(name) ?? ['']),
]

const methodOf = ({ below, oneOf }: Random): string => {
  const kind = below(30)
  if (kind < 26) return 'GET'
  return kind < 28 ? 'HEAD' : oneOf(['OPTIONS', 'DELETE', 'PATCH', 'TRACE', 'get', 'FOO'])
}

function headersOf({ below, oneOf }: Random, { tags }: Targets): string[] {
  const headers: string[] = []
  if (below(2) === 0) headers.push('accept-encoding: gzip, deflate, br')
  if (below(12) === 0) headers.push(`if-none-match: ${oneOf([...tags, '*', '*'])}`)
  if (below(30) === 0)
    headers.push(
      `accept: ${oneOf(['text/html', 'application/json', '*/*;q=0', ';;,', ','.repeat(3_000)])}`,
    )
  if (below(30) === 0)
    headers.push(`x-request-id: ${oneOf(['x', 'a'.repeat(40), '"\t\\', 'b'.repeat(5_000)])}`)
  if (below(40) === 0) headers.push(`cookie: ${'c'.repeat(below(30_000))}`)
  if (below(60) === 0) {
    for (let at = 0; at < 80; at++) headers.push(`x-${at}: ${at}`)
  }
  return headers
}

interface Parts {
  readonly method: string
  readonly target: string
  readonly headers: readonly string[]
  readonly host?: string
  readonly version?: string
}

function bytesOf({ method, target, headers, host = 'host: x', version = '1.1' }: Parts): Buffer {
  const lines = [`${method} ${target} HTTP/${version}`, host, ...headers].filter(
    (line) => line !== '',
  )
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

const bodies = [0, 1, 1_000, 70_000, 1_048_576]

/** A body that nobody wants, in one piece or in chunks. */
function withBody(random: Random, targets: Targets): AttackRequest {
  const method = random.oneOf(['GET', 'POST', 'PUT'])
  const target = targetOf(random, targets)
  const body = Buffer.alloc(random.oneOf(bodies), 'b')
  const isChunked = random.below(2) === 0
  const framing = isChunked ? 'transfer-encoding: chunked' : `content-length: ${body.length}`
  const chunks = body.length === 0 ? [] : [`${body.length.toString(16)}\r\n`, body, '\r\n']
  const sent = isChunked ? [...chunks, '0\r\n\r\n'] : [body]
  const head = bytesOf({ method, target, headers: [framing] })
  const bytes = Buffer.concat([head, ...sent.map((part) => Buffer.from(part))])
  const judged = { method, target, ifNoneMatch: null, headBytes: head.length }
  // It may answer before it has read all of it, and close.
  return { ...judged, isOutside: false, isLast: true, bytes }
}

/** What is not HTTP, or more of it than the library takes. */
function outside(random: Random, targets: Targets): AttackRequest {
  const target = targetOf(random, targets)
  const get = { method: 'GET', target, headers: [] }
  const made: readonly (() => Buffer)[] = [
    () => bytesOf({ ...get, host: '' }),
    () => bytesOf({ ...get, version: random.oneOf(['1.0', '2.0', '0.9', '1.1x']) }),
    () => bytesOf({ ...get, target: `http://x${target}` }),
    () =>
      bytesOf({ ...get, headers: [`x: ${'z'.repeat(random.oneOf([33_000, 70_000, 600_000]))}`] }),
    () => bytesOf({ ...get, headers: Array.from({ length: 120 }, (_, at) => `x-${at}: 1`) }),
    () => bytesOf({ ...get, headers: ['content-length: 5', 'transfer-encoding: chunked'] }),
    () =>
      bytesOf({
        ...get,
        headers: [`content-length: ${random.oneOf(['-1', 'x', '9'.repeat(30)])}`],
      }),
    () => bytesOf({ ...get, headers: ['x: \u0000\u0001', 'no colon', ': no name'] }),
    () => bytesOf({ ...get, target: `${target}\u0000\u007f\u00ff` }),
    () => Buffer.from(Array.from({ length: 1 + random.below(300) }, () => random.below(256))),
    () => Buffer.from('\r\n\r\n\r\n'),
    () => bytesOf({ ...get, headers: ['transfer-encoding: chunked', 'connection: close'] }),
  ]
  const bytes = random.oneOf(made)()
  const judged = { method: 'GET', target, ifNoneMatch: null, headBytes: bytes.length }
  return { ...judged, isOutside: true, isLast: true, bytes }
}
