import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { routes } from '../../services/api/endpoints/routes.ts'
import { mulberry32 } from '../../services/demo-chain/random.ts'
import { attackTargets, seenPage } from './attack-targets.ts'
import { endpointOf } from './endpoint-of.ts'
import { loadOptions, loadOptionsForm } from './load-options.ts'
import { addSubjectsIn, noSubjects } from './subjects-in.ts'
import { missedThresholds, reportLine, thresholdsDefault, vegetaReport } from './thresholds.ts'
import { nextQuery, subjectsForm, trafficOf, zipf } from './traffic.ts'

const fileOf = (name: string) => readFileSync(new URL(`./${name}`, import.meta.url), 'utf8')

const targets = {
  endpoints: routes.map(endpointOf),
  subjects: subjectsForm.parse(JSON.parse(fileOf('targets.json'))),
}

describe("Zipf's law", () => {
  it('gives rank r a weight of 1 / (r + 1)', () => {
    const rank = zipf(4, 1)
    // 1, 1/2, 1/3, 1/4 of 25/12
    const edges = [0, 12 / 25, 18 / 25, 22 / 25, 1]
    for (const [at, edge] of edges.entries()) {
      if (at < 4) expect(rank(edge + 1e-9)).toBe(at)
      if (at > 0) expect(rank(edge - 1e-9)).toBe(at - 1)
    }
  })

  it('gives all ranks the same weight with an exponent of 0', () =>
    expect([0, 0.25, 0.5, 0.75].map(zipf(4, 0))).toEqual([0, 1, 2, 3]))
})

describe('the file of real subjects', () => {
  it('has a hundred of each kind, at least', () => {
    for (const [kind, found] of Object.entries(targets.subjects))
      expect(found.length, kind).toBeGreaterThanOrEqual(100)
  })

  it('is requested with subjects of the right kind', () => {
    let at = 0
    const next = trafficOf(targets, 1, () => (at++ * 0.37) % 1)
    for (let request = 0; request < 200; request++) {
      const { endpoint, target } = next()
      const [before = '', after = ''] = endpoint.path.split(/\{.*\}/)
      const subject = target.slice(before.length, target.length - after.length)
      expect(targets.subjects[endpoint.subject]).toContain(subject)
    }
  })
})

it('asks for a next page as the API says', () => {
  expect(nextQuery({ value: '1', token: null, name: 'a&b' })).toBe('value=1&name=a%26b')
  expect(nextQuery(null)).toBeUndefined()
})

const fractions = () => {
  const next = mulberry32(1)
  return () => next() / 2 ** 32
}

const options = {
  ...{ origin: 'http://api.example', targets, exponent: 1, apiKey: null },
  ...{ deepShare: 0.1, conditionalShare: 0.05 },
  seen: [
    seenPage('/a', '"tag"', { items: [], next_page_params: { block_number: 1, index: 2 } }),
    seenPage('/b?id=1', null, { items: [], next_page_params: { id: 2, name: 'a&b' } }),
    seenPage('/c', '"last"', { items: [], next_page_params: null }),
  ],
}

describe('the requests of a load', () => {
  const line = z.strictObject({
    method: z.literal('GET'),
    url: z.string().startsWith('http://api.example/'),
    header: z.record(z.string(), z.tuple([z.string()])),
  })
  const lines = (changed: object = {}) => {
    const next = attackTargets({ ...options, ...changed }, fractions())
    return Array.from({ length: 4_000 }, () => line.parse(JSON.parse(next())))
  }

  it('mix first pages, deep pages and conditional requests', () => {
    const all = lines()
    const deep = all.filter(({ url }) => url.includes('?'))
    const conditional = all.filter(({ header }) => 'If-None-Match' in header)
    expect(deep.length / all.length).toBeCloseTo(0.1, 1)
    expect(conditional.length / all.length).toBeCloseTo(0.05, 1)
    const ofDeep = ['/a?block_number=1&index=2', '/b?id=2&name=a%26b']
    expect(new Set(deep.map(({ url }) => url))).toEqual(
      new Set(ofDeep.map((target) => options.origin + target)),
    )
    for (const { url, header } of conditional) {
      expect([`${url} "tag"`, `${url} "last"`]).toContain(`${url} ${header['If-None-Match']?.[0]}`)
    }
    for (const { header } of all) expect(header['Accept-Encoding']).toEqual(['gzip'])
  })

  it('are first pages where no cursor and no tag is known, and carry an API key', () => {
    const all = lines({ seen: [], apiKey: 'fs_x' })
    expect(all.some(({ url, header }) => url.includes('?') || 'If-None-Match' in header)).toBe(
      false,
    )
    expect(all.every(({ header }) => header['X-Api-Key']?.[0] === 'fs_x')).toBe(true)
  })

  it('find more subjects in the bodies of others', () => {
    const found = noSubjects()
    const [holder, token, hash] = [
      `0x${'Aa'.repeat(20)}`,
      `0x${'Bb'.repeat(20)}`,
      `0x${'cc'.repeat(32)}`,
    ]
    const transfer = { from: { hash: holder }, token: { address_hash: token, decimals: null } }
    addSubjectsIn({ items: [{ ...transfer, transaction_hash: hash, block_hash: hash }] }, found)
    addSubjectsIn({ items: [{ hash, to: null }] }, found)
    expect(found).toEqual({
      addresses: new Set([holder.toLowerCase()]),
      tokens: new Set([token.toLowerCase()]),
      transactions: new Set([hash]),
    })
  })
})

describe('the thresholds of a load', () => {
  const report = {
    ...{ requests: 1_000, rate: 100, success: 1, status_codes: { 200: 950, 304: 50 }, errors: [] },
    latencies: { '50th': 2_000_000, '99th': 80_000_000, max: 90_000_000 },
  }
  const missed = (changed: object) =>
    missedThresholds(vegetaReport.parse({ ...report, ...changed }), 100, thresholdsDefault)

  it('hold for a good report, which is one line', () => {
    expect(missed({})).toEqual([])
    expect(reportLine(vegetaReport.parse(report))).toBe(
      '1000 requests (950 x 200, 50 x 304), success 100.00 %, p50 2 ms, p99 80 ms, max 90 ms',
    )
  })

  it.each([
    [{ success: 0.998 }, 'success ratio 0.998 is below 0.999'],
    [{ latencies: { ...report.latencies, '99th': 300_001_000 } }, 'p99 300.001 ms is above 300 ms'],
    [{ latencies: { ...report.latencies, '50th': 26_000_000 } }, 'p50 26 ms is above 25 ms'],
    [{ rate: 98.9 }, '98.9 requests a second began, not 100'],
  ])('are missed by %o', (changed, sentence) => expect(missed(changed)).toEqual([sentence]))

  it('are missed where no request was sent', () => {
    expect(missed({ requests: 0, rate: 0 })).toContain('no request was sent')
  })
})

it.each([
  ['rate', 'fast'],
  ['rate', '0.5'],
  ['seconds', '-1'],
  ['zipf', 'x'],
  ['deep-share', '2'],
  ['origin', 'here'],
  ['start', '0x12'],
])('names a flag that is invalid: --%s %s', (name, value) => {
  const { values } = parseArgs({ args: [`--${name}=${value}`], options: loadOptionsForm })
  expect(() => loadOptions(values)).toThrow(`--${name}: `)
})
