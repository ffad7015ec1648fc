import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { labelsOfSeries, unknownIn } from '../../libs/signals/testing/unknown-names.ts'
import { dashboardFiles } from './dashboard-files.ts'

const folder = new URL('../../helm/foldscan/', import.meta.url)

const target = z.object({ expr: z.string(), legendFormat: z.string().min(1) })
const panelForm = z.discriminatedUnion('type', [
  z.object({ type: z.literal('row'), title: z.string().min(1) }),
  z.object({
    type: z.literal('timeseries'),
    title: z.string().regex(/^[A-Z0-9][\w -]{2,40}$/),
    description: z.string().regex(/^[A-Z][^.\n]+(?:\.md[^.\n]+)?\.$/),
    fieldConfig: z.object({ defaults: z.object({ unit: z.string().min(1) }) }),
    targets: z.array(target).min(1),
  }),
])
const variable = z.looseObject({ name: z.string(), query: z.unknown() })
const form = z.object({
  uid: z.string(),
  title: z.string(),
  templating: z.object({ list: z.array(variable) }),
  panels: z.array(panelForm),
})

const files = [...dashboardFiles].map(([path]) => path)
const dashboards = files.map((path) => ({
  path,
  ...form.parse(JSON.parse(readFileSync(new URL(path, folder), 'utf8'))),
}))
const panels = dashboards.flatMap(({ path, panels }) =>
  panels.flatMap((panel) => (panel.type === 'row' ? [] : [{ ...panel, path }])),
)
const targetsOf = (title: string, all: readonly z.infer<typeof target>[]) =>
  all.map((one) => ({ title, ...one }))
const targets = panels.flatMap((panel) => targetsOf(panel.title, panel.targets))

describe('a dashboard', () => {
  it('is one of two, with an identity of its own', () => {
    expect(files.length).toBe(2)
    expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(2)
  })

  it.each(dashboards)('$path has no two panels of one title', ({ panels }) => {
    const titles = panels.map(({ title }) => title)
    expect(titles.length).toBeGreaterThan(10)
    expect(titles.filter((title, at) => titles.indexOf(title) < at)).toEqual([])
  })

  it.each(dashboards)('$path lets one choose source, namespace and release', ({ templating }) => {
    const names = templating.list.map(({ name }) => name)
    expect(names).toEqual(['datasource', 'namespace', 'release'])
    const queries = JSON.stringify(templating.list.map(({ query }) => query))
    const metrics = [...queries.matchAll(/foldscan_\w+/g)].map(([name]) => name)
    expect(metrics.filter((name) => !labelsOfSeries.has(name))).toEqual([])
  })
})

describe('a panel', () => {
  it.each(targets)('$title names metrics and labels that exist: $legendFormat', (one) => {
    expect(one.expr).toMatch(/\b(?:foldscan|process|nodejs)_\w+/)
    expect(unknownIn(one.expr)).toEqual([])
  })

  it.each(targets)('$title shows what is chosen, and no more: $legendFormat', ({ expr }) => {
    expect(unfiltered(expr)).toEqual([])
  })

  it.each(targets)('$title has labels in its legend that its lines have: $legendFormat', (one) => {
    const named = [...one.legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
    expect(named.filter((label) => !keptLabels(one.expr).includes(label))).toEqual([])
  })
})

/** Metrics of an expression without the filter of the dashboard. */
function unfiltered(expr: string): string[] {
  const filter = '{namespace=~"$namespace",release=~"$release"'
  return [...expr.matchAll(/\b(?:foldscan|process|nodejs)_\w+/g)]
    .filter(({ 0: name, index }) => !expr.slice(index + name.length).startsWith(filter))
    .map(([name]) => name)
}

/** Labels by which the result is grouped; those of each process where it is not grouped. */
function keptLabels(expr: string): string[] {
  const kept = [...expr.matchAll(/\b(?:by|group_left) \(([^)]*)\)/g)]
  const isOfProcesses = !/\b(?:sum|max|min|histogram_quantile)\b/.test(expr)
  return [
    ...kept.flatMap(([, list = '']) => list.split(', ')),
    ...(isOfProcesses ? ['instance'] : []),
  ]
}

describe('what is checked here', () => {
  it('would see a metric, a label and a list of labels that do not exist', () => {
    expect(unknownIn('sum by (grp) (foldscan_stuk) + foldscan_stuck{gruop="a"}')).toEqual([
      'foldscan_stuk',
      'foldscan_stuck{gruop}',
      'grp',
    ])
    expect(unknownIn('a * on (instanze) group_left (comand) foldscan_build_info')).toEqual([
      'instanze',
      'comand',
    ])
  })

  it('would see a metric of all releases', () => {
    expect(unfiltered('sum(foldscan_stuck) + foldscan_stuck{group="a"}')).toEqual([
      'foldscan_stuck',
      'foldscan_stuck',
    ])
  })

  it('would see a label that is summed away', () => {
    expect(keptLabels('sum by (group) (foldscan_stuck)')).toEqual(['group'])
  })
})
