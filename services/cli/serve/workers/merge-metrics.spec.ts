import { expect, test } from 'vitest'
import { startMetrics } from '../../../../libs/signals/metrics.ts'
import { mergeMetrics } from './merge-metrics.ts'

function worker(number: number) {
  const metrics = startMetrics('api')
  metrics.registry.setDefaultLabels({ worker: String(number) })
  return metrics
}

const samples = (text: string, name: string) =>
  text.split('\n').filter((line) => line.startsWith(name))

test('each series of each process is there, with the label of its process', async () => {
  const [one, two] = [worker(1), worker(2)]
  one.requests.countOf({ route: 'docs', status: '200' }).pending += 3
  two.requests.countOf({ route: 'docs', status: '200' }).pending += 4
  two.requests.countOf({ route: 'docs', status: '304' }).pending += 5
  one.apiBlock.set(7)
  two.apiBlock.set(8)
  const text = mergeMetrics([await one.registry.metrics(), await two.registry.metrics()])
  expect(samples(text, 'foldscan_requests_total{')).toEqual([
    'foldscan_requests_total{route="docs",status="200",worker="1"} 3',
    'foldscan_requests_total{route="docs",status="200",worker="2"} 4',
    'foldscan_requests_total{route="docs",status="304",worker="2"} 5',
  ])
  expect(samples(text, 'foldscan_api_indexed_block{')).toEqual([
    'foldscan_api_indexed_block{worker="1"} 7',
    'foldscan_api_indexed_block{worker="2"} 8',
  ])
})

test('histograms counted in plain numbers are labelled, too', async () => {
  const [one, two] = [worker(1), worker(2)]
  one.requestSeconds.durationsOf('docs').observe(0.002)
  two.requestSeconds.durationsOf('docs').observe(0.002)
  two.requestSeconds.durationsOf('docs').observe(9)
  const text = mergeMetrics([await one.registry.metrics(), await two.registry.metrics()])
  expect(samples(text, 'foldscan_request_seconds_count{')).toEqual([
    'foldscan_request_seconds_count{route="docs",worker="1"} 1',
    'foldscan_request_seconds_count{route="docs",worker="2"} 2',
  ])
  expect(samples(text, 'foldscan_request_seconds_bucket{le="+Inf"')).toHaveLength(2)
})

test('a metric has one help and one type, before all of its samples', async () => {
  const texts = await Promise.all([1, 2, 3].map((number) => worker(number).registry.metrics()))
  const text = mergeMetrics(texts)
  const heads = text.split('\n').filter((line) => line.startsWith('# '))
  expect(new Set(heads).size).toBe(heads.length)
  expect(heads).toEqual(texts[0]?.split('\n').filter((line) => line.startsWith('# ')))
})

test('no series stands twice, and one process alone is unchanged', async () => {
  const metrics = worker(1)
  metrics.watchProcess()
  const text = await metrics.registry.metrics()
  const merged = mergeMetrics([text])
  const names = merged.split('\n').flatMap((line) => line.match(/^[a-z][^ ]*/)?.[0] ?? [])
  expect(new Set(names).size).toBe(names.length)
  expect(merged.split('\n').filter(Boolean)).toEqual(text.split('\n').filter(Boolean))
})
