/** Processes that serve /metrics, by their commands. */
export const exporters = ['up', 'ingestor', 'projector', 'enricher', 'api'] as const
export type Exporter = (typeof exporters)[number]

/** What dashboards and alerts need to know of a metric: a row of `deploy/METRICS.md`. */
export interface MetricRow<L extends string = string> {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** Their values are short stable words. */
  readonly labels: readonly L[]
  readonly unit: string
  readonly exportedBy: readonly Exporter[]
  readonly help: string
}

type MetricOptions<L extends string> = Omit<MetricRow<L>, 'type'>

/** Absent until it is first set: a process that does not do the work does not report it. */
export const gauge = <const L extends string>(options: MetricOptions<L>) => ({
  ...options,
  type: 'gauge' as const,
})
export const counter = <const L extends string>(options: MetricOptions<L>) => ({
  ...options,
  type: 'counter' as const,
})
export const histogram = <const L extends string>(options: MetricOptions<L>) => ({
  ...options,
  type: 'histogram' as const,
})
