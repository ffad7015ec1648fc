import { describe, expect, it } from 'vitest'
import {
  assumptions,
  type Constants,
  constantsFrom,
  historyOf,
  readAlone,
  servingOf,
} from './capacity.ts'
import { benchmarkResult } from './report/result.ts'
import { savedResults } from './report/saved-results.ts'

const constant = (value: number) => ({ name: 'a', value, unit: 'b', source: 'c' })

const constants: Constants = {
  cachedUs: constant(50),
  redisUs: constant(100),
  coldApiMs: constant(2),
  coldStoreMs: constant(10),
  aloneApiMs: constant(6),
  aloneStoreMs: constant(20),
  foldUs: constant(100),
  foldStoreUs: constant(200),
  diskBytes: constant(1_000),
}

describe('serving', () => {
  it('adds up the processor time of memory, Redis and tables', () => {
    const { apiCores, storeCores, gbitPerSecond } = servingOf(100_000, constants)
    // (90,000 x 50 us + 8,000 x 100 us + 2,000 x 2 ms) at half load
    expect(apiCores).toBeCloseTo(2 * (4.5 + 0.8 + 4))
    // (2,000 x 10 ms + 100 x 200 us x 3 replicas) at half load
    expect(storeCores).toBeCloseTo(2 * (20 + 0.06))
    expect(gbitPerSecond).toBeCloseTo((100_000 * 9_800 * 8) / 1e9)
  })

  it('takes the processor time of pages that share no query', () => {
    const { apiCores, storeCores } = servingOf(100_000, readAlone(constants))
    expect(apiCores).toBeCloseTo(2 * (4.5 + 0.8 + 12))
    expect(storeCores).toBeCloseTo(2 * (40 + 0.06))
  })

  it('has one more of each than must be there, however little is requested', () =>
    expect(servingOf(1, constants)).toMatchObject({ apiPods: 2, redisServers: 2, storeServers: 3 }))

  it('takes as many pods as the network needs, where that is more', () => {
    const fast = { ...constants, cachedUs: constant(0), coldApiMs: constant(0) }
    const { apiPods } = servingOf(1_000_000, { ...fast, redisUs: constant(0) })
    expect(apiPods).toBe(1 + Math.ceil(78.4 / 0.5 / 5))
  })

  it('grows with the requests and with each constant', () => {
    const one = servingOf(10_000, constants)
    for (const key of ['cachedUs', 'redisUs', 'coldApiMs'] as const) {
      const dearer = servingOf(10_000, { ...constants, [key]: constant(1_000) })
      expect(dearer.apiCores, key).toBeGreaterThan(one.apiCores)
    }
    expect(servingOf(20_000, constants).storeCores).toBeGreaterThan(one.storeCores)
  })
})

it('counts disks of a history in bytes a transfer, with replicas and room for merges', () => {
  const given = { ...assumptions, history: { ...assumptions.history, value: 1e9 } }
  const history = historyOf(constants, given)
  expect(history.storeTerabytes).toBeCloseTo(1e9 * 1_000 * 1.5 * 1e-12)
  expect(history.allStoreTerabytes).toBeCloseTo(3 * history.storeTerabytes)
  expect(history.foldDays).toBeCloseTo(1e5 / 86_400)
  // 100 us of a projector beside 200 us of a server with 16 cores in use.
  expect(history.projectorCoresPerServer).toBeCloseTo(8)
})

it('takes constants from saved results, and says which are estimates', () => {
  const saved = benchmarkResult.parse({
    benchmark: 'bytes',
    takenAt: '2026-01-01T00:00:00.000Z',
    commit: '0123456789ab',
    machine: { cpu: 'a', cores: 2, memoryGiB: 8, node: 'v20', clickhouse: null },
    load: { start: 0, end: 0 },
    method: 'a',
    seed: null,
    sizes: {},
    figures: [
      { name: 'a transfer, with all other tables', value: 777, unit: 'bytes', checkedAnswers: 1 },
    ],
  })
  const { diskBytes, foldUs } = constantsFrom(new Map([['bytes', saved]]))
  expect(diskBytes).toMatchObject({
    value: 777,
    source: 'bytes: a transfer, with all other tables',
  })
  expect(foldUs.source).toBe('estimated: no result of fold')
})

it('finds each figure in a result that is saved', () => {
  const saved = savedResults()
  const missing = Object.values(constantsFrom(saved)).filter(({ source }) =>
    [...saved.keys()].some((name) => source === `estimated: no result of ${name}`),
  )
  expect(missing).toEqual([])
})
