import type { HttpHandler } from '../../libs/ports/http.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { RequestCounts } from './request/request-counts.ts'
import { notReady } from './response/responses.ts'

/** Counts what `notReady` answers, under a route and a reason of its own: `starting`. */
export function countedNotReady(
  metrics: Pick<Metrics, 'requests' | 'requestSeconds' | 'unavailable'>,
): HttpHandler {
  const counts = new RequestCounts(metrics)
  const reason = 'starting'
  metrics.unavailable.inc({ reason }, 0)
  return async (request) => {
    const startedAt = performance.now()
    const response = await notReady(request)
    counts.add(reason, response, startedAt)
    if (response.status === 503) metrics.unavailable.inc({ reason })
    return response
  }
}
