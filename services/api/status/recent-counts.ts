import type { Metrics } from '../../../libs/signals/metrics.ts'

/** What this process has counted since it started, at one moment. */
export interface Counts {
  /** In ms. */
  readonly at: number
  /** The newest block that responses show. */
  readonly block: number | null
  /** Requests of `/api/v2`. */
  readonly requests: number
  /** Pages by where they came from. */
  readonly pages: { readonly process: number; readonly redis: number; readonly clickhouse: number }
  /** Requests of `/api/v2` that took at most so many seconds, ascending; the last one has all. */
  readonly durations: readonly (readonly [seconds: number, count: number])[]
}

/** Interval of counts, and how many are kept: five minutes. */
export const countEveryMs = 5_000
const keptMax = 61
const minuteMs = 60_000

/** The last minutes of this process, counted whether or not somebody watches. */
export class RecentCounts {
  private counts: readonly Counts[] = []

  add(counts: Counts): void {
    this.counts = [...this.counts, counts].slice(-keptMax)
  }

  /** Null until there are two counts to compare. */
  get recent(): Recent | null {
    const [first, newest] = [this.counts[0], this.counts.at(-1)]
    if (first === undefined || newest === undefined || first === newest) return null
    const ofMinute = this.counts.find(
      ({ at, block }) => block !== null && newest.at - at <= minuteMs,
    )
    return {
      seconds: Math.round((newest.at - first.at) / 1_000),
      // Blocks of slow chains come in steps: a minute has several.
      blocksPerSecond: ofMinute === newest ? null : blocksBetween(ofMinute ?? first, newest),
      requestsPerSecond: perSecond(first, newest, newest.requests - first.requests),
      pages: {
        process: newest.pages.process - first.pages.process,
        redis: newest.pages.redis - first.pages.redis,
        clickhouse: newest.pages.clickhouse - first.pages.clickhouse,
      },
      durations: durationsBetween(first, newest),
      series: this.series(),
    }
  }

  private series(): Recent['series'] {
    const pairs = this.counts.slice(1).map((to, at) => ({ from: this.counts[at] ?? to, to }))
    return {
      blocks: pairs.map(({ from, to }) => blocksBetween(from, to)),
      requests: pairs.map(({ from, to }) => perSecond(from, to, to.requests - from.requests)),
    }
  }
}

/** Of the time between the oldest kept counts and the newest. */
export interface Recent {
  readonly seconds: number
  /** Null where no head was known. */
  readonly blocksPerSecond: number | null
  readonly requestsPerSecond: number
  readonly pages: Counts['pages']
  readonly durations: Durations
  /** For each interval of counts, oldest first. */
  readonly series: {
    readonly blocks: readonly (number | null)[]
    readonly requests: readonly number[]
  }
}

interface Durations {
  /** Requests. */
  readonly measured: number
  /** Bounds in seconds that half and 99 % of them met; null: longer than `measuredMax`, or none. */
  readonly p50: number | null
  readonly p99: number | null
  readonly measuredMax: number
}

/** With three digits: they are read by people. */
const rounded = (value: number): number => Number(value.toPrecision(3))

const perSecond = (from: Counts, to: Counts, amount: number): number =>
  rounded((amount * 1_000) / Math.max(1, to.at - from.at))

/** A reorganisation may lower the head for a moment. */
const blocksBetween = (from: Counts, to: Counts): number | null =>
  from.block === null || to.block === null
    ? null
    : perSecond(from, to, Math.max(0, to.block - from.block))

function durationsBetween(from: Counts, to: Counts): Durations {
  const before = new Map(from.durations)
  const within = to.durations.map(([seconds, count]) => ({
    seconds,
    count: count - (before.get(seconds) ?? 0),
  }))
  const requests = within.at(-1)?.count ?? 0
  const bounded = within.filter(({ seconds }) => Number.isFinite(seconds))
  const bound = (share: number) =>
    requests === 0
      ? null
      : (bounded.find(({ count }) => count >= share * requests)?.seconds ?? null)
  const measuredMax = bounded.at(-1)?.seconds ?? 0
  return { measured: requests, p50: bound(0.5), p99: bound(0.99), measuredMax }
}

type CountedMetrics = Pick<Metrics, 'requests' | 'requestSeconds' | 'cacheReads'>

const isOfApi = (route: unknown) => typeof route === 'string' && route.startsWith('/api/v2/')

/** Counts of now, from the metrics that are exported as well. */
export async function countsOf(
  metrics: CountedMetrics,
  { at, block }: Pick<Counts, 'at' | 'block'>,
): Promise<Counts> {
  const [requests, seconds, reads] = await Promise.all([
    metrics.requests.get(),
    metrics.requestSeconds.get(),
    metrics.cacheReads.get(),
  ])
  const answered = requests.values.filter(({ labels }) => isOfApi(labels.route))
  const durations = new Map<number, number>()
  for (const { labels, value } of seconds.values) {
    const { le, route } = labels
    if (le === undefined || !isOfApi(route)) continue
    const bound = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)
    durations.set(bound, (durations.get(bound) ?? 0) + value)
  }
  const readsOf = (cache: string, outcome: string) =>
    reads.values.find(({ labels }) => labels.cache === cache && labels.outcome === outcome)
      ?.value ?? 0
  const redis = readsOf('shared pages', 'hit')
  return {
    ...{ at, block },
    requests: answered.reduce((sum, { value }) => sum + value, 0),
    pages: {
      process: readsOf('pages', 'hit'),
      redis,
      // Those that wait for the load of another request, and those refused, count as asked for.
      clickhouse: Math.max(0, readsOf('pages', 'miss') - redis),
    },
    durations: [...durations].sort(([one], [other]) => one - other),
  }
}
