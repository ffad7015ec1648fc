import type { MetricRow } from '../../libs/signals/metric-row.ts'
import { metricRows } from '../../libs/signals/metric-rows.ts'

/** By label, what it has to match, with the operator: `="hit"`. */
type Matchers<L extends string> = { readonly [K in L]?: string }

/** The series of a name in the chosen namespaces and releases. */
const chosen = (name: string, matchers: Matchers<string> = {}) => {
  const more = Object.entries(matchers).map(([label, match]) => `,${label}${match}`)
  return `${name}{namespace=~"$namespace",release=~"$release"${more.join('')}}`
}

/** The series of a metric in the chosen namespaces and releases. */
export const series = <L extends string>(
  row: MetricRow<L>,
  matchers?: Matchers<NoInfer<L>>,
): string => chosen(row.name, matchers)

/** Increase of a counter per second, summed by labels. */
export const perSecond = <L extends string>(
  row: MetricRow<L>,
  by: readonly NoInfer<L>[] = [],
  matchers?: Matchers<NoInfer<L>>,
): string => `sum${grouped(by)} (rate(${series(row, matchers)}[$__rate_interval]))`

/** What matches as a share of all, by labels; 0 while nothing matches. */
export function shareOf<L extends string>(
  row: MetricRow<L>,
  matchers: Matchers<NoInfer<L>>,
  by: readonly NoInfer<L>[] = [],
): string {
  const all = perSecond(row, by)
  return `(${perSecond(row, by, matchers)} or 0 * ${all}) / ${all}`
}

/** A quantile of a histogram, by labels. */
export const quantile = <L extends string>(
  row: MetricRow<L>,
  share: number,
  by: readonly NoInfer<L>[] = [],
): string =>
  `histogram_quantile(${share}, sum${grouped(['le', ...by])} ` +
  `(rate(${chosen(`${row.name}_bucket`)}[$__rate_interval])))`

/** A metric of Node, of Foldscan's processes alone, with the label `command`. */
export const ofProcesses = (name: `process_${string}` | `nodejs_${string}`, range = ''): string => {
  const value = chosen(name)
  const each = range === '' ? value : `rate(${value}[${range}])`
  return `${each} * ignoring (command, version) group_left (command) ${series(metricRows.buildInfo)}`
}

/** The highest of many lines. */
export const highest = (expression: string): string => `topk(10, ${expression})`

const grouped = (by: readonly string[]) => (by.length === 0 ? '' : ` by (${by.join(', ')})`)
