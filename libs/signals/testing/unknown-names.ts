import { metricRows } from '../metric-rows.ts'
import { startMetrics } from '../metrics.ts'

/** By name of a series, its own labels. */
export const labelsOfSeries: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.values(metricRows).map(({ name, type, labels }): [string, readonly string[]] =>
    type === 'histogram' ? [`${name}_bucket`, [...labels, 'le']] : [name, labels],
  ),
  ...namesOfNode().map((name): [string, readonly string[]] => [name, []]),
])

function namesOfNode(): string[] {
  const { registry, watchProcess } = startMetrics('api')
  watchProcess()
  const names = registry.getMetricsAsArray().map(({ name }) => name)
  registry.clear()
  return names.filter((name) => /^(?:process|nodejs)_/.test(name))
}

/** Labels of targets. */
const ofTargets = ['namespace', 'release', 'instance']

/** Names in an expression that are neither metrics nor labels of them or of targets. */
export function unknownIn(expr: string): string[] {
  const metrics = [...expr.matchAll(/\b(?:foldscan|process|nodejs)_\w+/g)].map(([name]) => name)
  const ofAll = metrics.flatMap((name) => labelsOfSeries.get(name) ?? [])
  const selected = [...expr.matchAll(/(\w+)\{([^}]*)\}/g)].flatMap(([, metric = '', inside = '']) =>
    [...inside.matchAll(/(\w+)(?:=~|!~|!=|=)/g)]
      .map(([, label = '']) => label)
      .filter((label) => ![...(labelsOfSeries.get(metric) ?? []), ...ofTargets].includes(label))
      .map((label) => `${metric}{${label}}`),
  )
  const listed = [...expr.matchAll(/\b(?:by|without|on|ignoring|group_\w+) \(([^)]*)\)/g)]
    .flatMap(([, list = '']) => (list === '' ? [] : list.split(', ')))
    .filter((label) => ![...ofAll, ...ofTargets].includes(label))
  return [...metrics.filter((name) => !labelsOfSeries.has(name)), ...selected, ...listed]
}
