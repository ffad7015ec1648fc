import { expect, test } from 'vitest'
import type { Address } from '../../../libs/chain/hex.ts'
import { position } from '../../../libs/chain/position.ts'
import { memoryCache } from '../../../libs/ports/testing/memory-cache.ts'
import { noTokenFacts } from '../../../libs/presenters/facts.ts'
import {
  aHash,
  aLog,
  anAddress,
  aToken,
  aTransaction,
  aTransfer,
} from '../../../libs/presenters/testing/rows.ts'
import { groupId } from '../../../libs/tables/declare/group-versions.ts'
import type { ListedTransaction } from '../../../libs/tables/tables/transactions.ts'
import { bucketOf } from '../../../libs/topics/changes.ts'
import type { Answers } from '../testing/answers.ts'
import { bodyOf, testApi } from '../testing/test-api.ts'

const person = anAddress(0xa1)
const token = anAddress(0x70)
const transactions = `/api/v2/addresses/${person}/transactions`
const first = 1_700_000_000

/** An API whose heads are at block 100 + n, told by both groups. */
function counting(answers: Answers, limits: Parameters<typeof testApi>[1] = {}) {
  const asked: string[] = []
  const entries = Object.entries(answers).map(([name, answer]) => [
    name,
    (...how: unknown[]) => {
      asked.push(name)
      return Reflect.apply(answer, undefined, how)
    },
  ])
  const api = testApi(Object.fromEntries(entries), limits)
  const head = (at: number, moved: Record<string, number[]> = {}) => {
    api.announce('ledger', at, { moved })
    api.announce('state', at, { moved })
  }
  const moves =
    (...families: string[]) =>
    (subject: string) =>
      Object.fromEntries(families.map((family) => [family, [bucketOf(subject)]]))
  return { ...api, asked, head, moves }
}

test('finishes confirmations once a head, without asking any table again', async () => {
  const { ask, asked, head } = counting({
    transactionsOfAddress: async () => [aTransaction({ blockNumber: 100, timestamp: first })],
  })
  head(3)
  const before = await ask(transactions)
  expect(bodyOf(before)).toMatchObject({ items: [{ confirmations: 4 }] })
  head(4)
  const after = await ask(transactions)
  expect(bodyOf(after)).toMatchObject({ items: [{ confirmations: 5 }] })
  expect(after.headers.etag).not.toBe(before.headers.etag)
  expect((await ask(transactions)).body).toBe(after.body)
  expect(asked).toHaveLength(1)
  const headers = { 'if-none-match': after.headers.etag ?? '' }
  expect((await ask(transactions, { headers })).status).toBe(304)
})

test.each([
  { list: 'has not moved', moves: false, block: 104, confirmations: 5 },
  { list: 'has moved', moves: true, block: 103, confirmations: 4 },
])(
  'tells the head that its confirmations count with, where the list $list meanwhile',
  async (of) => {
    let resolve: (rows: readonly ListedTransaction[]) => void = () => {}
    const read = new Promise<readonly ListedTransaction[]>((resolved) => {
      resolve = resolved
    })
    const { ask, head, moves } = counting({ transactionsOfAddress: () => read })
    head(3)
    const asking = ask(transactions)
    head(4, of.moves ? moves('transactions_by_address')(person) : {})
    resolve([aTransaction({ blockNumber: 100, timestamp: first })])
    const response = await asking
    expect(response.headers).toMatchObject({
      'x-indexed-block': String(of.block),
      'x-indexed-at': new Date((first + 12 * (of.block - 100)) * 1_000).toISOString(),
    })
    expect(bodyOf(response)).toMatchObject({ items: [{ confirmations: of.confirmations }] })
  },
)

test('writes no confirmations where metadata has a word of that name', async () => {
  const input = `0x${Buffer.from('"confirmations":7').toString('hex')}` as const
  const { ask, head } = counting({
    transactionsOfAddress: async () => [
      aTransaction({ blockNumber: 100, input, error: 'a "confirmations":7', status: 0 }),
    ],
  })
  head(1)
  const body = bodyOf(await ask(transactions))
  expect(body).toMatchObject({ items: [{ confirmations: 2, result: 'a "confirmations":7' }] })
})

test('renders again when a transaction becomes a day old, and when it is younger again', async () => {
  const timestamp = first + 24 - 86_400
  const { ask, asked, announce } = counting({
    transactionsOfAddress: async () => [aTransaction({ timestamp })],
    coinPrices: async (moments) => new Map(moments.map((moment) => [moment, moment])),
  })
  const shown = async (at: number) => {
    for (const group of ['ledger', 'state'] as const) announce(group, at, { time: first + 12 * at })
    return bodyOf(await ask(transactions))
  }
  expect(await shown(1)).toMatchObject({ items: [{ historic_exchange_rate: null }] })
  const day = new Date(timestamp * 1_000).toISOString().slice(0, 10)
  expect(await shown(2)).toMatchObject({ items: [{ historic_exchange_rate: day }] })
  await shown(3)
  expect(asked.filter((name) => name === 'transactionsOfAddress')).toHaveLength(2)
  for (const group of ['ledger', 'state'] as const) announce(group, 4, { time: first + 12 })
  expect(bodyOf(await ask(transactions))).toMatchObject({
    items: [{ historic_exchange_rate: null }],
  })
})

test('renders again when the head moves without an announcement, as after missed ones', async () => {
  const timestamp = first + 24 - 86_400
  const { ask, announce, deliver, clock, head } = testApi({
    transactionsOfAddress: async () => [aTransaction({ timestamp })],
    coinPrices: async (moments) => new Map(moments.map((moment) => [moment, moment])),
  })
  for (const group of ['ledger', 'state'] as const) announce(group, 1, { time: first + 12 })
  deliver(clock.now.offset, null)
  expect(bodyOf(await ask(transactions))).toMatchObject({
    items: [{ historic_exchange_rate: null }],
  })
  const progress = { position: position(9), block: 109, time: first + 48, knownFrom: 0 }
  for (const group of ['ledger', 'state'] as const)
    head.apply({ group: groupId(group), ...progress })
  const day = new Date(timestamp * 1_000).toISOString().slice(0, 10)
  expect(bodyOf(await ask(transactions))).toMatchObject({
    items: [{ historic_exchange_rate: day }],
  })
})

test.each([
  { page: 'full, deep, after a deep cursor', after: 444, blockNumber: 100, count: 2, times: 1 },
  { page: 'full and deep, after a cursor that is not', after: 445, blockNumber: 100, count: 2 },
  { page: 'of blocks that may be orphaned', after: 700, blockNumber: 600, count: 2 },
  { page: 'not full', after: 444, blockNumber: 100, count: 1 },
])('a page that is $page is asked again unless it is settled', async (page) => {
  const { after, blockNumber, count, times = 2 } = page
  const row = (at: number) => aTransaction({ blockNumber, index: at, hash: aHash(at) })
  const { ask, asked, head, moves } = counting({
    transactionsOfAddress: async () => [row(2), row(1)].slice(0, count),
  })
  const target = `${transactions}?block_number=${after}&index=9&items_count=1`
  head(600)
  await ask(target)
  head(601, moves('transactions_by_address')(person))
  await ask(target)
  expect(asked).toHaveLength(times)
})

test('a first page is asked again however old its rows are, and so is one by value', async () => {
  const { ask, asked, head, moves } = counting({
    transactionsOfAddress: async () => [1, 2].map((at) => aTransaction({ hash: aHash(at) })),
  })
  head(600)
  const targets = [
    'items_count=1',
    `sort=value&order=desc&value=9&block_number=1&index=1&items_count=1`,
  ]
  for (const target of targets) await ask(`${transactions}?${target}`)
  head(601, moves('transactions_by_address')(person))
  for (const target of targets) await ask(`${transactions}?${target}`)
  expect(asked).toHaveLength(4)
})

test('caches that a subject does not exist, until it does', async () => {
  const { ask, asked, head, moves } = counting({ tokenStates: async () => new Map() })
  head(1)
  const target = `/api/v2/tokens/${token}`
  for (let time = 0; time < 2; time++) expect((await ask(target)).status).toBe(404)
  expect(asked).toHaveLength(1)
  head(2, moves('token_state', 'token_state.names')(token))
  await ask(target)
  expect(asked).toHaveLength(2)
})

test('shows stats of embedded tokens by window, names at once, a token itself exactly', async () => {
  const now = { holdersCount: 1, name: 'a' }
  const { ask, announce, head, moves } = counting({
    transfersOfToken: async () => [aTransfer()],
    tokenStates: async () => new Map([[token, aToken(now)]]),
    tokenFacts: async () => new Map([[token, noTokenFacts]]),
  })
  const shown = async () => {
    const list = bodyOf(await ask(`/api/v2/tokens/${token}/transfers`))
    const one = bodyOf(await ask(`/api/v2/tokens/${token}`))
    return [list, one]
  }
  const items = (says: object) => ({ items: [{ token: says }] })
  head(1)
  expect(await shown()).toMatchObject([items({ holders_count: '1' }), { holders_count: '1' }])
  now.holdersCount = 2
  announce('state', 2, { moved: moves('token_state')(token) })
  expect(await shown()).toMatchObject([items({ holders_count: '1' }), { holders_count: '2' }])
  now.name = 'b'
  announce('state', 3, { moved: moves('token_state', 'token_state.names')(token) })
  expect(await shown()).toMatchObject([items({ holders_count: '2', name: 'b' }), { name: 'b' }])
  now.holdersCount = 3
  announce('state', 4, { moved: moves('token_state')(token) })
  expect(await shown()).toMatchObject([items({ holders_count: '2' }), { holders_count: '3' }])
  announce('ledger', 9)
  announce('state', 9)
  expect(await shown()).toMatchObject([items({ holders_count: '3' }), {}])
})

test('uses pages of another process while they are as current as what it has consumed', async () => {
  const cache = memoryCache({ bytesMax: 1_000_000 })
  const answers = { transactionsOfAddress: async () => [aTransaction({ blockNumber: 100 })] }
  const [one, other] = [counting(answers, { cache }), counting(answers, { cache })]
  for (const api of [one, other]) api.head(1)
  const made = await one.ask(transactions)
  other.head(2)
  const taken = await other.ask(transactions)
  expect(other.asked).toEqual([])
  expect(taken.body.toString()).toBe(
    made.body.toString().replace(/"confirmations":2/, '"confirmations":3'),
  )
  other.head(3, one.moves('transactions_by_address')(person))
  await other.ask(transactions)
  expect(other.asked).toHaveLength(1)
})

test('takes nothing for a page that it cannot read', async () => {
  const cache = memoryCache({ bytesMax: 1_000_000 })
  const broken = {
    ...cache,
    get: async (keys: readonly string[]) =>
      keys.map(() => ({ bytes: Buffer.from('x'), position: 9 })),
  }
  const { ask, asked } = counting({ transactionsOfAddress: async () => [] }, { cache: broken })
  expect((await ask(transactions)).status).toBe(200)
  expect(asked).toHaveLength(1)
})

test.each([
  ['above every block', 'block_number=99999999&index=0', 1_001],
  ['near the head', 'block_number=990&index=3', 985],
])('shows what comes between a cursor %s and rows far below it', async (_, cursor, comes) => {
  let rows = [500, 499].map((blockNumber) =>
    aTransaction({ hash: aHash(blockNumber), blockNumber }),
  )
  const { ask, head, moves } = counting({
    transactionsOfAddress: async ({ after, limit }) =>
      rows.filter(({ blockNumber }) => blockNumber < (after?.blockNumber ?? 0)).slice(0, limit),
  })
  head(900)
  const page = `${transactions}?${cursor}&items_count=1`
  expect(bodyOf(await ask(page))).toMatchObject({ items: [{ block_number: 500 }] })
  rows = [aTransaction({ hash: aHash(comes), blockNumber: comes }), ...rows]
  head(901, moves('transactions_by_address')(person))
  expect(bodyOf(await ask(page))).toMatchObject({ items: [{ block_number: comes }] })
})

test('loads a page once, however it is spelled, also while it is in flight', async () => {
  const { ask, asked, head } = counting({ balancesOfAddress: async () => [] })
  head(1)
  const list = `/api/v2/addresses/${person}/tokens`
  const spellings = [
    ...['', '?items_count=50', '?type=ERC-20,ERC-721,ERC-1155,ERC-404', '?token_name=x'],
    ...['?value=7', '?id=3&fiat_value=1', '?token_type=ERC-20&token_name=', '?apikey=k'],
  ]
  await Promise.all(spellings.map((query) => ask(`${list}${query}`)))
  for (const query of spellings) await ask(`${list.replace('0x', '//0x')}/${query}`)
  expect(asked).toHaveLength(1)
})

test('compresses a page once a head, however often it is sent', async () => {
  const { ask, head } = counting({
    transactionsOfAddress: async () => [aTransaction({ blockNumber: 100, timestamp: first })],
  })
  const headers = { 'accept-encoding': 'gzip' }
  head(3)
  const sent = await ask(transactions, { headers })
  expect(sent.headers['content-encoding']).toBe('gzip')
  expect((await ask(transactions, { headers })).body).toBe(sent.body)
  head(4)
  expect((await ask(transactions, { headers })).body).not.toEqual(sent.body)
})

test('keeps a page that is asked for again through a scan of others', async () => {
  const { ask, asked, head, metrics } = counting(
    { logsOfAddress: async ({ address }) => [aLog({ address })] },
    { pageCacheBytesMax: 100_000 },
  )
  const bytes = async () => (await metrics.cachedPagesBytes.get()).values[0]?.value ?? 0
  expect(await bytes()).toBe(0)
  const pageOf = (address: Address) => `/api/v2/addresses/${address}/logs`
  const headers = { accept: '*/*' }
  head(1)
  for (let times = 0; times < 2; times++) await ask(pageOf(person), { headers })
  for (let at = 1_000; at < 1_200; at++) await ask(pageOf(anAddress(at)), { headers })
  // Of the quarter that pages requested once may take, most is taken.
  expect(await bytes()).toBeGreaterThan(20_000)
  expect(await bytes()).toBeLessThanOrEqual(100_000)
  asked.length = 0
  await ask(pageOf(person), { headers })
  expect(asked).toEqual([])
})
