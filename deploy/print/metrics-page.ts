import { metricRows } from '../../libs/signals/metric-rows.ts'

/** The page of all metrics, as Markdown. */
export function printMetrics(): string {
  const rows = Object.values(metricRows).map(
    ({ name, type, labels, unit, exportedBy, help }) =>
      `| \`${name}\` | ${type} | ${labels.join(', ') || '-'} | ${unit} | ` +
      `${exportedBy.join(', ')} | ${help} |`,
  )
  return [...head, ...rows, ''].join('\n')
}

const head = [
  '# Metrics',
  '',
  'Printed by `npm run print` from `libs/signals/metric-rows.ts`. Each process serves its own under',
  '`/metrics`: a metric of work that it does not do is absent, not 0. A gauge is absent until its',
  'value is known.',
  '',
  'Durations have the bounds 10 us, 30 us, 100 us and so on to 30 s, as far as they make sense.',
  '',
  'Every process also exports the default metrics of Node (memory, CPU, garbage collection, event',
  'loop), under the usual names: `process_*` and `nodejs_*`.',
  '',
  '| metric | type | labels | unit | exported by | meaning |',
  '|---|---|---|---|---|---|',
]
