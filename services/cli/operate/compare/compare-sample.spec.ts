import { describe, expect, test } from 'vitest'
import { failuresInRowMax } from '../explorer/bounded-fetch.ts'
import { ExplorerError, type FetchPage } from '../explorer/explorer.ts'
import { compareSample } from './compare-sample.ts'
import { comparisonText } from './comparison-text.ts'
import { differencesMax } from './tally.ts'

const start = `0x${'a'.repeat(40)}`
const numbered = (at: number, chars: number) => `0x${at.toString(16).padStart(chars, '0')}`
/** Names that each page of transactions shows. */
const named = Array.from({ length: 60 }, (_, at) => ({
  hash: numbered(at + 1, 64),
  block_number: 5,
  from: { hash: numbered(at + 1, 40) },
}))

type Body = (path: string) => unknown
const standing =
  (body: Body = () => undefined): FetchPage =>
  async (path) => {
    const items = path.endsWith('/transactions') ? named : []
    return { status: 200, head: 9, body: body(path) ?? { items, next_page_params: null } }
  }

/** Subjects of requests, in order, each once. */
function recorded(ask: FetchPage) {
  const paths = new Set<string>()
  const recording: FetchPage = async (path, query) => {
    paths.add(path)
    return ask(path, query)
  }
  return { ask: recording, paths }
}

const { signal } = new AbortController()
const of = { given: [start], sample: 20, seed: 7, signal }
const summary = (value: unknown) => (path: string) =>
  path.endsWith('/summary') ? { data: { summaries: [{ value }] } } : undefined

describe('a sample', () => {
  test('asks all ten endpoints, of what pages name too', async () => {
    const here = recorded(standing())
    const result = await compareSample({ ...of, sides: { here: here.ask, there: standing() } })
    expect(result).toMatchObject({ status: 'equal', subjects: 20, differences: [], failures: [] })
    const forms = [...here.paths].map((path) => path.replace(/0x[0-9a-f]+/, '*'))
    expect([...new Set(forms)].sort()).toEqual([
      '/api/v2/addresses/*/logs',
      '/api/v2/addresses/*/nft',
      '/api/v2/addresses/*/token-balances',
      '/api/v2/addresses/*/tokens',
      '/api/v2/addresses/*/transactions',
      '/api/v2/tokens/*',
      '/api/v2/tokens/*/holders',
      '/api/v2/tokens/*/transfers',
      '/api/v2/transactions/*/summary',
      '/api/v2/transactions/*/token-transfers',
    ])
  })

  test('is the same of the same seed, and another of another', async () => {
    const pathsOf = async (seed: number) => {
      const here = recorded(standing())
      await compareSample({ ...of, seed, sides: { here: here.ask, there: standing() } })
      return [...here.paths]
    }
    expect(await pathsOf(7)).toEqual(await pathsOf(7))
    expect(await pathsOf(7)).not.toEqual(await pathsOf(8))
  })

  test('reports how many subjects have been compared', async () => {
    const reported: number[] = []
    const onProgress = (subjects: number) => void reported.push(subjects)
    await compareSample({ ...of, sides: { here: standing(), there: standing() }, onProgress })
    expect(reported).toEqual([1, 9, 17, 20])
  })

  test('ends where no page names another', async () => {
    const bare: FetchPage = async () => ({ status: 404, head: 9, body: {} })
    const result = await compareSample({ ...of, sides: { here: bare, there: bare } })
    expect(result).toMatchObject({ status: 'equal', subjects: 1 })
  })
})

describe('the result', () => {
  test('names each field once, with an example and a count', async () => {
    const sides = { here: standing(summary(1)), there: standing(summary(2)) }
    const result = await compareSample({ ...of, sides })
    expect(result.status).toBe('differs')
    const [difference, ...others] = result.differences
    expect(others).toEqual([])
    expect(difference).toMatchObject({
      endpoint: '/api/v2/transactions/{transaction_hash}/summary',
      field: 'data.summaries[].value',
      example: { item: null, here: '1', there: '2' },
    })
    expect(difference?.count).toBeGreaterThan(1)
    const text = comparisonText(result)
    expect(text).toContain(`data.summaries[].value: ${difference?.count} differences`)
    expect(text).toMatch(/^they differ: \d+ pages of 20 subjects, seed 7$/m)
  })

  test('keeps a number of fields, and counts the rest', async () => {
    const fields = Object.fromEntries(
      Array.from({ length: differencesMax + 50 }, (_, at) => [`f${at}`, 'x'.repeat(10_000)]),
    )
    const sides = {
      here: standing((path) => (path.endsWith('/logs') ? fields : undefined)),
      there: standing((path) => (path.endsWith('/logs') ? {} : undefined)),
    }
    const result = await compareSample({ ...of, sample: 1, sides })
    expect([result.differences.length, result.leftOut]).toEqual([differencesMax, 50])
    expect(comparisonText(result).length).toBeLessThan(50_000)
    expect(comparisonText(result)).toContain('50 differences of further fields are left out.')
  })

  test('is incomplete where a page has no answer, and says which side', async () => {
    const there: FetchPage = async (path, query) => {
      if (path.endsWith('/logs')) throw new ExplorerError('returned 503')
      return standing()(path, query)
    }
    const result = await compareSample({ ...of, sample: 1, sides: { here: standing(), there } })
    expect(result.status).toBe('incomplete')
    const path = `/api/v2/addresses/${start}/logs`
    expect(result.failures).toEqual([{ reason: 'there returned 503', count: 1, path }])
    expect(comparisonText(result)).toContain(`1 x there returned 503, for example ${path}`)
  })

  test('ends when an explorer fails too often in a row', async () => {
    let requests = 0
    const away: FetchPage = async () => {
      requests += 1
      throw new ExplorerError('cannot be reached: refused')
    }
    const given = Array.from({ length: 500 }, (_, at) => numbered(at + 1, 40))
    const sides = { here: standing(), there: away }
    const result = await compareSample({ ...of, given, sample: 500, sides })
    expect([result.status, result.pages]).toEqual(['incomplete', 0])
    expect(result.failures.map(({ reason }) => reason)).toEqual([
      'there cannot be reached: refused',
      `there was not asked: ${failuresInRowMax} requests in a row failed`,
    ])
    expect(requests).toBeLessThanOrEqual(failuresInRowMax + 3)
    const text = comparisonText(await compareSample({ ...of, sample: 1, sides }))
    expect(text).toMatch(/^nothing could be compared: 0 pages of 1 subject, seed 7$/m)
  })

  test('goes on beside an endpoint that always fails', async () => {
    const there: FetchPage = async (path, query) => {
      if (path.endsWith('/logs')) throw new ExplorerError('returned 503')
      return standing()(path, query)
    }
    const result = await compareSample({ ...of, sides: { here: standing(), there } })
    expect([result.status, result.subjects]).toEqual(['incomplete', 20])
  })
})
