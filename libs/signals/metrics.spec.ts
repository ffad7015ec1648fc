import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { printMetrics } from '../../deploy/print/metrics-page.ts'
import { type Exporter, exporters } from './metric-row.ts'
import { metricRows } from './metric-rows.ts'
import { startMetrics } from './metrics.ts'

const page = readFileSync(new URL('../../deploy/METRICS.md', import.meta.url), 'utf8')

/** What the page says of each process: metric, type and labels. */
function documentedOf(exporter: Exporter): string[] {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  return rows
    .map((row) => row.split('|').map((cell) => cell.trim()))
    .filter(([, , , , , exportedBy = '']) => exportedBy.split(', ').includes(exporter))
    .map(([, name = '', type, labels]) => `${name.replaceAll('`', '')} ${type} ${labels}`)
    .sort()
}

/** What a registry says of itself; a histogram's own label is no label of ours. */
function exportedBy(exporter: Exporter): string[] {
  const { registry, watchProcess } = startMetrics(exporter)
  const own = registry.getMetricsAsArray().map((metric) => {
    const labels: readonly string[] = 'labelNames' in metric ? Object(metric.labelNames) : []
    return `${metric.name} ${metric.type} ${labels.filter((label) => label !== 'le').join(', ') || '-'}`
  })
  watchProcess()
  const all = registry.getMetricsAsArray().map(({ name }) => name)
  const ofNode = all.filter((name) => !own.some((line) => line.startsWith(`${name} `)))
  expect(ofNode).toContain('process_resident_memory_bytes')
  expect(ofNode).toContain('nodejs_eventloop_lag_seconds')
  expect(ofNode.filter((name) => !/^(?:process|nodejs)_/.test(name))).toEqual([])
  registry.clear()
  return own.sort()
}

it('the page of all metrics is the one that is printed: run npm run print', () => {
  expect(page).toBe(printMetrics())
})

describe.each(exporters)('the registry of %s', (exporter) => {
  it('contains the metrics of the page, and those of Node', () => {
    expect(exportedBy(exporter)).toEqual(documentedOf(exporter))
  })

  it('has no value for what is not known yet', async () => {
    const text = await startMetrics(exporter).registry.metrics()
    const gauges = [...text.matchAll(/^# TYPE (\w+) gauge$/gm)].map(([, name = '']) => name)
    const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(samples.filter((line) => gauges.some((name) => line.startsWith(name)))).toEqual([])
  })
})

it('names each metric by its type and unit', () => {
  for (const line of exporters.flatMap(documentedOf)) {
    const [name = '', type] = line.split(' ')
    expect(name.endsWith('_total'), name).toBe(type === 'counter')
    expect(name, name).toMatch(/^foldscan_[a-z]+(?:_[a-z]+)*$/)
  }
})

it('declares durations between 10 us and 30 s, with few bounds', () => {
  const histograms = Object.values(metricRows).filter((row) => 'buckets' in row)
  expect(histograms.length).toBeGreaterThan(5)
  for (const { name, buckets } of histograms) {
    expect(buckets, name).toEqual([...new Set(buckets)].sort((a, b) => a - b))
    expect(buckets.length, name).toBeLessThan(15)
    expect(buckets[0], name).toBeGreaterThanOrEqual(0.000_01)
    expect(buckets.at(-1), name).toBeLessThanOrEqual(30)
  }
  const [least, most] = [
    metricRows.requestSeconds.buckets[0],
    metricRows.requestSeconds.buckets.at(-1),
  ]
  expect([least, most]).toEqual([0.000_01, 30])
})
