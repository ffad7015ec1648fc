import { Counter, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { MeasuredGauge, PlainCounter, PlainHistogram } from './plain-metrics.ts'

const buckets = [0.001, 0.01, 1]
const lines = (text: string) => text.split('\n').sort()
const seconds = [0, 0.0005, 0.001, 0.0011, 0.01, 0.5, 1, 7]

test('a plain histogram is scraped as that of the library', async () => {
  const form = { name: 'seconds', help: 'Durations', labelNames: ['route'], buckets }
  const [plain, usual] = [new Registry(), new Registry()]
  const counted = new PlainHistogram({ ...form, registers: [plain] })
  const observed = new Histogram({ ...form, registers: [usual] })
  expect(await plain.metrics()).toBe(await usual.metrics())
  for (const route of ['/a', '/b"']) {
    for (const each of seconds) {
      counted.durationsOf(route).observe(each)
      observed.observe({ route }, each)
    }
  }
  expect(await plain.metrics()).toBe(await usual.metrics())
  expect(await plain.metrics()).toBe(await usual.metrics())
})

test('a plain counter adds its numbers to what is counted otherwise, once', async () => {
  const form = { name: 'reads_total', help: 'Reads', labelNames: ['cache', 'outcome'] }
  const [plain, usual] = [new Registry(), new Registry()]
  const counted = new PlainCounter({ ...form, registers: [plain] })
  const counter = new Counter({ ...form, registers: [usual] })
  const hits = counted.countOf({ cache: 'pages', outcome: 'hit' })
  counted.countOf({ cache: 'pages', outcome: 'miss' })
  counter.inc({ cache: 'pages', outcome: 'miss' }, 0)
  for (let round = 0; round < 3; round++) {
    hits.pending += 2
    counted.inc({ cache: 'pages', outcome: 'hit' }, 3)
    counter.inc({ cache: 'pages', outcome: 'hit' }, 5)
    expect(lines(await plain.metrics())).toEqual(lines(await usual.metrics()))
  }
})

test('a measured gauge is absent while measuring fails, and the other metrics stay', async () => {
  const registry = new Registry()
  const gauge = new MeasuredGauge({ name: 'free_bytes', help: 'Space', registers: [registry] })
  new Counter({ name: 'reads_total', help: 'Reads', registers: [registry] }).inc(3)
  let isThere = true
  gauge.measure(() => {
    if (!isThere) throw new Error('EIO')
    return 7
  })
  expect(await registry.metrics()).toMatch(/^free_bytes 7$/m)
  isThere = false
  const scraped = await registry.metrics()
  expect(scraped).not.toMatch(/^free_bytes \d/m)
  expect(scraped).toMatch(/^reads_total 3$/m)
})

test('a measured gauge has a value for each of its labels', async () => {
  const registry = new Registry()
  const form = { name: 'lag_seconds', help: 'Lag', labelNames: ['group'] as const }
  const gauge = new MeasuredGauge<'group'>({ ...form, registers: [registry] })
  expect(await registry.metrics()).not.toMatch(/^lag_seconds/m)
  gauge.measure(() => 3, { group: 'a' })
  gauge.measure(() => 5, { group: 'b' })
  gauge.measure(() => 7, { group: 'b' })
  expect((await registry.metrics()).match(/^lag_seconds.*/gm)).toEqual([
    'lag_seconds{group="a"} 3',
    'lag_seconds{group="b"} 7',
  ])
})
