import { Counter, Gauge, Histogram, type HistogramConfiguration } from 'prom-client'

/**
 * Metrics of what happens many thousand times per second: they count in plain numbers, and make
 * the registry's values when it is scraped. `inc` and `observe` of the library hash the labels at
 * each call, which takes as long as a whole response.
 */

/** Occurrences that the counter does not include yet. */
export interface PendingCount {
  pending: number
}

/** A counter whose labels are looked up once: afterwards a caller increments a number. */
export class PlainCounter<L extends string> extends Counter<L> {
  private readonly counts: (PendingCount & { labels: Partial<Record<L, string>> })[] = []

  /** The number to increment for these labels; to be kept, as each call adds another one. */
  countOf(labels: Partial<Record<L, string>>): PendingCount {
    const count = { labels, pending: 0 }
    this.counts.push(count)
    this.inc(labels, 0)
    return count
  }

  override get() {
    for (const count of this.counts) {
      if (count.pending > 0) this.inc(count.labels, count.pending)
      count.pending = 0
    }
    return super.get()
  }
}

/**
 * A gauge that is measured when it is scraped. Absent until something measures, and while that
 * fails: the other metrics are needed most then.
 */
export class MeasuredGauge<L extends string = never> extends Gauge<L> {
  private readonly measured = new Map<string, () => void>()

  /** Replaces what measured the value of these labels before. */
  measure(value: () => number, ...[labels = {}]: [labels?: Partial<Record<L, string>>]): void {
    this.measured.set(Object.values(labels).join(), () => {
      const now = valueOrNull(value)
      if (now === null) this.remove(labels)
      else this.set(labels, now)
    })
  }

  override async get() {
    for (const renew of this.measured.values()) renew()
    const measured = await super.get()
    // Without labels it would be 0.
    return this.measured.size === 0 ? { ...measured, values: [] } : measured
  }
}

function valueOrNull(value: () => number): number | null {
  try {
    return value()
  } catch {
    return null
  }
}

/** Durations with one set of labels. */
export class PlainDurations {
  private readonly bounds: readonly number[]
  /** By bucket, not cumulative; the last one has no upper bound. */
  readonly counts: number[]
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = [...bounds.map(() => 0), 0]
  }

  observe(seconds: number): void {
    const { bounds, counts } = this
    let bucket = 0
    while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket++
    counts[bucket] = (counts[bucket] ?? 0) + 1
    this.sum += seconds
  }
}

/** A histogram with one label whose observations are plain numbers. */
export class PlainHistogram extends Histogram {
  private readonly series = new Map<string, PlainDurations>()
  private readonly form: HistogramConfiguration<string> & { readonly buckets: number[] }
  /** Never observes anything: what is scraped of it besides values. */
  private readonly empty: Histogram

  constructor(form: HistogramConfiguration<string> & { readonly buckets: number[] }) {
    super(form)
    this.form = form
    this.empty = new Histogram({ ...form, registers: [] })
  }

  /** The durations with this value of the label; to be kept by callers. */
  durationsOf(value: string): PlainDurations {
    const known = this.series.get(value)
    if (known !== undefined) return known
    const durations = new PlainDurations(this.form.buckets)
    this.series.set(value, durations)
    return durations
  }

  override async get() {
    return {
      ...(await this.empty.get()),
      values: [...this.series].flatMap((series) => this.valuesOf(series)),
    }
  }

  /** What the registry calls for a scrape. */
  getForPromString() {
    return this.get()
  }

  private valuesOf([value, { counts, sum }]: readonly [string, PlainDurations]) {
    const { name, buckets, labelNames = [] } = this.form
    const [label = ''] = labelNames
    const labelled = (part: string, amount: number, more: Record<string, string> = {}) => ({
      metricName: `${name}_${part}`,
      labels: { ...more, [label]: value },
      value: amount,
    })
    let count = 0
    const cumulative = counts.map((inBucket, at) => {
      count += inBucket
      return labelled('bucket', count, { le: String(buckets[at] ?? '+Inf') })
    })
    return [...cumulative, labelled('sum', sum), labelled('count', count)]
  }
}
