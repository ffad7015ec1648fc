import { describe, expect, test } from 'vitest'
import { ExplorerError, type ExplorerPage, type FetchPage } from '../explorer/explorer.ts'
import { comparePath } from './compare-page.ts'

const page = { endpoint: '/api/v2/things/{address_hash}', path: '/api/v2/things/0x1' }

/** Answers requests in turn, the last answer again and again. */
function answering(...pages: readonly ExplorerPage[]): {
  ask: FetchPage
  asked: Record<string, string>[]
} {
  const asked: Record<string, string>[] = []
  const ask: FetchPage = async (_path, query) => {
    asked.push({ ...query })
    const answer = pages[Math.min(asked.length, pages.length) - 1]
    if (answer === undefined) throw new ExplorerError('returned 503')
    return answer
  }
  return { ask, asked }
}

/** Answers the first page, and to any cursor the second. */
function paged(
  first: ExplorerPage,
  second: ExplorerPage,
): { ask: FetchPage; asked: Record<string, string>[] } {
  const asked: Record<string, string>[] = []
  const ask: FetchPage = async (_path, query) => {
    asked.push({ ...query })
    return Object.keys(query).length === 0 ? first : second
  }
  return { ask, asked }
}

type Item = Record<string, unknown>

const list = (head: number | null, items: Item[], next: Item | null = null): ExplorerPage => ({
  status: 200,
  head,
  body: { items, next_page_params: next },
})
const log = (index: number, block: number, data = '0x') => ({
  ...{ transaction_hash: `0x${block}`, block_number: block, index, data },
})
const holder = (hash: string, value: string) => ({ address: { hash }, token_id: null, value })
const token = (head: number | null, body: Item, status = 200): ExplorerPage => ({
  status,
  head,
  body,
})

const compared = (here: FetchPage, there: FetchPage) => comparePath({ here, there }, page)

test('pages of each side are followed by its own cursor', async () => {
  const here = paged(
    list(9, [log(3, 5)], { index: 3, gone: null }),
    list(9, [log(2, 5), log(1, 5)]),
  )
  const there = paged(list(9, [log(3, 5), log(2, 5)], { place: 'x' }), list(9, [log(1, 5, '0x01')]))
  const { outcome, differences, pages } = await compared(here.ask, there.ask)
  expect([outcome, pages]).toEqual(['differs', 2])
  expect(differences).toEqual([{ field: 'items[].data', item: '0x5 1', here: '0x', there: '0x01' }])
  expect(here.asked.slice(0, 2)).toEqual([{}, { index: '3' }])
  expect(there.asked.slice(0, 2)).toEqual([{}, { place: 'x' }])
})

test('a list without an end is followed for three pages', async () => {
  const endless = () => answering(list(9, [log(1, 5)], { index: 1 }))
  const [here, there] = [endless(), endless()]
  expect(await compared(here.ask, there.ask)).toMatchObject({ outcome: 'equal', pages: 3 })
  expect([here.asked.length, there.asked.length]).toEqual([3, 3])
})

test('an endpoint without pages is compared item by item', async () => {
  const balance = (value: string) => ({ token: { address_hash: '0xT' }, token_id: null, value })
  const bare = (value: string): ExplorerPage => ({ status: 200, head: 9, body: [balance(value)] })
  const { differences } = await compared(answering(bare('1')).ask, answering(bare('2')).ask)
  expect(differences).toEqual([{ field: 'items[].value', item: '0xt', here: '1', there: '2' }])
})

describe('a chain that moves', () => {
  test('shows nothing where one side has later blocks than the other', async () => {
    const newer = paged(
      list(8, [log(0, 8), log(0, 7), log(1, 5)], { index: 1 }),
      list(8, [log(0, 5), log(0, 4)]),
    )
    const older = answering(list(6, [log(1, 5), log(0, 5), log(0, 4)]))
    expect(await compared(newer.ask, older.ask)).toMatchObject({ outcome: 'equal' })
    expect(await compared(older.ask, newer.ask)).toMatchObject({ outcome: 'equal' })
  })

  test('hides no item that both should have', async () => {
    const newer = answering(list(8, [log(0, 8), log(1, 5)]))
    const older = answering(list(6, [log(1, 5), log(0, 4)]))
    const { outcome, differences } = await compared(newer.ask, older.ask)
    expect([outcome, differences.map(({ item }) => item)]).toEqual(['differs', ['0x4 0']])
  })

  test('changes fields that go by the head', async () => {
    const confirmed = (head: number, value: string) =>
      list(head, [{ hash: '0xa', block_number: 5, confirmations: head - 4, value }])
    const [newer, older] = [answering(confirmed(8, '1')), answering(confirmed(6, '1'))]
    expect(await compared(newer.ask, older.ask)).toMatchObject({ outcome: 'equal' })
    const other = answering(confirmed(6, '2'))
    expect((await compared(newer.ask, other.ask)).differences).toMatchObject([
      { field: 'items[].value' },
    ])
    const same = answering(list(8, [{ ...log(0, 5), confirmations: 2 }]))
    const wrong = answering(list(8, [{ ...log(0, 5), confirmations: 3 }]))
    expect((await compared(same.ask, wrong.ask)).outcome).toBe('differs')
  })

  test('is asked again, once', async () => {
    const here = answering(token(7, { name: 'A', total_supply: '2' }))
    const there = answering(
      token(6, { name: 'A', total_supply: '1' }),
      token(7, { name: 'A', total_supply: '2' }),
    )
    expect(await compared(here.ask, there.ask)).toMatchObject({ outcome: 'equal' })
    expect([here.asked.length, there.asked.length]).toEqual([2, 2])
  })

  test('is no difference while the two are at different blocks', async () => {
    const [here, there] = [list(7, [holder('0xa', '2')]), list(6, [holder('0xa', '1')])]
    expect(await compared(answering(here).ask, answering(there).ask)).toMatchObject({
      ...{ outcome: 'moved', differences: [] },
    })
    const still = list(7, [holder('0xa', '1')])
    expect(await compared(answering(here).ask, answering(still).ask)).toMatchObject({
      outcome: 'differs',
    })
  })

  test('is no difference either where one list is empty', async () => {
    const [here, there] = [list(7, []), list(6, [holder('0xa', '1')])]
    expect(await compared(answering(here).ask, answering(there).ask)).toMatchObject({
      ...{ outcome: 'moved', differences: [] },
    })
  })

  test('has pending transactions, which are not compared', async () => {
    const mined = { hash: '0xa', block_number: 5 }
    const here = answering(list(9, [mined]))
    const there = answering(list(9, [{ hash: '0xb', block_number: null }, mined]))
    expect(await compared(here.ask, there.ask)).toMatchObject({ outcome: 'equal' })
  })

  test('may not say how far it is: what differs twice is a difference', async () => {
    const [here, there] = [list(null, [holder('0xa', '2')]), list(null, [holder('0xa', '1')])]
    expect(await compared(answering(here).ask, answering(there).ask)).toMatchObject({
      outcome: 'differs',
    })
  })
})

test('statuses are compared, the texts of errors are not', async () => {
  const missing = (message: string) => answering(token(9, { message }, 404))
  const found = answering(token(9, { name: 'A' }))
  expect(await compared(missing('Not found').ask, missing('Nothing').ask)).toMatchObject({
    ...{ outcome: 'equal', differences: [] },
  })
  expect((await compared(missing('Not found').ask, found.ask)).differences).toEqual([
    { field: 'status', item: null, here: 404, there: 200 },
  ])
})

test('known differences are counted beside those that are reported', async () => {
  const here = answering(list(9, [{ ...log(0, 5), decoded: null, address: { name: null } }]))
  const there = answering(list(9, [{ ...log(0, 5), decoded: {}, address: { name: 'Vault' } }]))
  const { outcome, known } = await compared(here.ask, there.ask)
  expect([outcome, known.map(({ decision }) => decision).sort()]).toEqual(['equal', [11, 66]])
})

test.each([
  ['/api/v2/addresses/0x1/logs', 'equal', 6],
  ['/api/v2/tokens/0x1/holders', 'differs', undefined],
  ['/api/v2/transactions/0x1/token-transfers', 'differs', undefined],
])('an empty list here and 404 there of %s: %s', async (path, outcome, decision) => {
  const sides = { here: answering(list(9, [])).ask, there: answering(token(9, {}, 404)).ask }
  const found = await comparePath(sides, { endpoint: path, path })
  expect([found.outcome, found.known[0]?.decision]).toEqual([outcome, decision])
})

test('a side that does not answer is named', async () => {
  const here = answering(list(9, []))
  expect(await compared(here.ask, answering().ask)).toMatchObject({
    ...{ outcome: 'failed', reason: 'there returned 503' },
  })
  expect(await compared(answering().ask, here.ask)).toMatchObject({
    ...{ outcome: 'failed', reason: 'here returned 503' },
  })
})
