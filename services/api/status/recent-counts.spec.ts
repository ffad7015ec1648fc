import { expect, test } from 'vitest'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import { type Counts, countsOf, RecentCounts } from './recent-counts.ts'

const infinity = Number.POSITIVE_INFINITY

const counted = (at: number, changes: Partial<Counts> = {}): Counts => ({
  at: at * 1_000,
  block: null,
  requests: 0,
  pages: { process: 0, redis: 0, clickhouse: 0 },
  durations: [
    [0.001, 0],
    [0.01, 0],
    [infinity, 0],
  ],
  ...changes,
})

function recentOf(...counts: readonly Counts[]) {
  const recent = new RecentCounts()
  for (const one of counts) recent.add(one)
  return recent.recent
}

test('says nothing before two counts', () => {
  expect(recentOf()).toBeNull()
  expect(recentOf(counted(5, { requests: 9 }))).toBeNull()
})

test('rates are those between the oldest counts and the newest', () => {
  const recent = recentOf(
    counted(0, { block: 100, requests: 1_000, pages: { process: 50, redis: 5, clickhouse: 1 } }),
    counted(5, { block: 101, requests: 1_500, pages: { process: 60, redis: 6, clickhouse: 2 } }),
    counted(10, { block: 103, requests: 2_000, pages: { process: 90, redis: 7, clickhouse: 4 } }),
  )
  expect(recent).toMatchObject({
    seconds: 10,
    blocksPerSecond: 0.3,
    requestsPerSecond: 100,
    pages: { process: 40, redis: 2, clickhouse: 3 },
    series: { blocks: [0.2, 0.4], requests: [100, 100] },
  })
})

test('keeps five minutes, and counts blocks of the last one', () => {
  // A block every second from minute five on, none before.
  const counts = Array.from({ length: 100 }, (_, at) =>
    counted(at * 5, { block: Math.max(0, at * 5 - 300), requests: at * 5 }),
  )
  const recent = recentOf(...counts)
  expect(recent).toMatchObject({ seconds: 300, blocksPerSecond: 1, requestsPerSecond: 1 })
  expect(recent?.series.requests).toHaveLength(60)
})

test('shows no negative rate after a reorganisation, and none without a head', () => {
  expect(recentOf(counted(0, { block: 9 }), counted(5, { block: 7 }))?.blocksPerSecond).toBe(0)
  expect(recentOf(counted(0), counted(5, { block: 7 }))).toMatchObject({
    blocksPerSecond: null,
    series: { blocks: [null] },
  })
  const begun = recentOf(counted(0), counted(5, { block: 7 }), counted(10, { block: 8 }))
  expect(begun).toMatchObject({ blocksPerSecond: 0.2, series: { blocks: [null, 0.2] } })
})

test('bounds durations by the buckets of the requests in between', () => {
  const before = counted(0, {
    durations: [
      [0.001, 0],
      [0.01, 1_000],
      [infinity, 1_000],
    ],
  })
  const after = (fast: number, slow: number, slowest: number) =>
    counted(5, {
      durations: [
        [0.001, fast],
        [0.01, 1_000 + fast + slow],
        [infinity, 1_000 + fast + slow + slowest],
      ],
    })
  const durations = (...counts: readonly [number, number, number]) =>
    recentOf(before, after(...counts))?.durations
  const measuredMax = 0.01
  expect(durations(60, 40, 0)).toEqual({ measured: 100, p50: 0.001, p99: 0.01, measuredMax })
  expect(durations(98, 0, 2)).toEqual({ measured: 100, p50: 0.001, p99: null, measuredMax })
  expect(durations(0, 0, 0)).toEqual({ measured: 0, p50: null, p99: null, measuredMax })
})

test('counts requests of the API, from the exported metrics', async () => {
  const metrics = startMetrics()
  for (const route of ['/api/v2/tokens/{address_hash}', '/docs', '/api/status/stream']) {
    metrics.requests.inc({ route, status: '200' }, 3)
    metrics.requestSeconds.durationsOf(route).observe(0.002)
  }
  metrics.requests.inc({ route: '/api/v2/tokens/{address_hash}', status: '404' })
  const read = (cache: string, outcome: string, times: number) =>
    metrics.cacheReads.inc({ cache, outcome }, times)
  read('pages', 'hit', 20)
  read('pages', 'miss', 10)
  read('shared pages', 'hit', 4)
  read('shared rows', 'hit', 99)
  const counts = await countsOf(metrics, { at: 7, block: 8 })
  expect(counts).toMatchObject({
    ...{ at: 7, block: 8, requests: 4 },
    pages: { process: 20, redis: 4, clickhouse: 6 },
  })
  const { durations } = counts
  expect(durations.at(-1)).toEqual([infinity, 1])
  expect(durations.find(([seconds]) => seconds >= 0.002)?.[1]).toBe(1)
  expect(durations[0]?.[1]).toBe(0)
})
