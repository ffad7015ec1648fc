import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Exporter } from './metric-row.ts'
import { metricRows } from './metric-rows.ts'

type Rows = typeof metricRows

/** By the names of the rows. */
type Instruments = { readonly [Name in keyof Rows]: ReturnType<Rows[Name]['make']> }

export type Metrics = ReturnType<typeof startMetrics>

/**
 * The metrics of a process. What another process exports can be fed too, and is not exported.
 *
 * @param exporter all metrics are exported without it, as tests and tasks need
 */
export function startMetrics(exporter?: Exporter) {
  const registry = new Registry()
  const made = Object.entries(metricRows).map(([key, row]) => {
    const { name, help, labels: labelNames, exportedBy } = row
    const isExported = exporter === undefined || exportedBy.some((one) => one === exporter)
    const form = { name, help, labelNames, registers: isExported ? [registry] : [] }
    // The row itself has these labels.
    return [key, (row.make as (of: typeof form) => unknown)(form)] as const
  })
  return {
    // Each row has made its own instrument.
    ...(Object.fromEntries(made) as Instruments),
    registry,
    /** Memory, garbage collection, event loop, under the names that dashboards of Node know. */
    watchProcess: () => collectDefaultMetrics({ register: registry }),
  }
}
