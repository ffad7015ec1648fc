import { Counter, Gauge, type Registry } from 'prom-client'
import { MeasuredGauge, PlainCounter, PlainHistogram } from './plain-metrics.ts'

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

/** What an instrument is made of. */
export interface InstrumentForm<L extends string> {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly L[]
  readonly registers: Registry[]
}

/** Absent until it is first set: a process that does not do the work does not report it. */
export const gauge = <const L extends string>(options: MetricOptions<L>) => ({
  ...options,
  type: 'gauge' as const,
  make(form: InstrumentForm<L>) {
    const made = new Gauge<L>(form)
    // Without labels it would be 0 from the start, before its value is known.
    if (form.labelNames.length === 0) made.remove()
    return made
  },
})

/** One that is measured when it is scraped. */
export const measuredGauge = <const L extends string>(options: MetricOptions<L>) => ({
  ...options,
  type: 'gauge' as const,
  make: (form: InstrumentForm<L>) => new MeasuredGauge<L>(form),
})

export const counter = <const L extends string>(options: MetricOptions<L>) => ({
  ...options,
  type: 'counter' as const,
  make: (form: InstrumentForm<L>) => new Counter<L>(form),
})

/** One of what happens many thousand times per second. */
export const plainCounter = <const L extends string>(options: MetricOptions<L>) => ({
  ...options,
  type: 'counter' as const,
  make: (form: InstrumentForm<L>) => new PlainCounter<L>(form),
})

interface HistogramOptions<L extends string> extends MetricOptions<L> {
  /** Upper bounds in seconds, ascending. */
  readonly buckets: readonly number[]
}

export const histogram = <const L extends string>(options: HistogramOptions<L>) => ({
  ...options,
  type: 'histogram' as const,
  make: (form: InstrumentForm<L>) =>
    new PlainHistogram({
      ...form,
      labelNames: [...form.labelNames],
      buckets: [...options.buckets],
    }),
})

/** Bounds of all durations, in seconds: two in each decade, as each bound is a series per label. */
const durations = [
  0.00001, 0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30,
] as const
type Duration = (typeof durations)[number]

/** The bounds of durations that are hardly ever shorter or longer than that. */
export const durationsBetween = (least: Duration, most: Duration): readonly number[] =>
  durations.filter((bound) => bound >= least && bound <= most)
