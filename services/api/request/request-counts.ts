// The global one is a getter.
import { performance } from 'node:perf_hooks'
import type { HttpResponse } from '../../../libs/ports/http.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import type { PendingCount, PlainDurations } from '../../../libs/signals/plain-metrics.ts'

type Answered = Pick<HttpResponse, 'status' | 'stream'>

interface RouteCounts {
  readonly byStatus: Map<number, PendingCount>
  readonly durations: PlainDurations
}

/** Alerts compare them: a counter that begins with its first event shows no increase by it. */
const firstStatuses = [200, 500, 503]

/** Counts answered requests by route and status. */
export class RequestCounts {
  private readonly metrics: Pick<Metrics, 'requests' | 'requestSeconds'>
  private readonly routes = new Map<string, RouteCounts>()

  /** @param routes those that are reported before their first request */
  constructor(
    metrics: Pick<Metrics, 'requests' | 'requestSeconds'>,
    routes: readonly string[] = [],
  ) {
    this.metrics = metrics
    for (const route of routes) {
      const counts = this.begin(route)
      for (const status of firstStatuses) this.beginStatus(route, status, counts)
    }
  }

  /** The duration of a stream is its client's: it is no duration of a request. */
  add<R extends Answered>(route: string, response: R, startedAt: number): R {
    const { status, stream } = response
    const counts = this.routes.get(route) ?? this.begin(route)
    const count = counts.byStatus.get(status) ?? this.beginStatus(route, status, counts)
    count.pending += 1
    if (stream === undefined) counts.durations.observe((performance.now() - startedAt) / 1_000)
    return response
  }

  private begin(route: string): RouteCounts {
    const counts = {
      byStatus: new Map<number, PendingCount>(),
      durations: this.metrics.requestSeconds.durationsOf(route),
    }
    this.routes.set(route, counts)
    return counts
  }

  private beginStatus(route: string, status: number, { byStatus }: RouteCounts): PendingCount {
    const count = this.metrics.requests.countOf({ route, status: String(status) })
    byStatus.set(status, count)
    return count
  }
}
