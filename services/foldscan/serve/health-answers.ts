import type { HttpRequest, HttpResponse } from '../../../libs/ports/http.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import type { Health } from './health.ts'

/** What a supervisor and a collector of metrics ask; null for any other path. */
export async function healthAnswer(
  { path, method }: Pick<HttpRequest, 'path' | 'method'>,
  health: Health,
  metrics: Metrics,
): Promise<HttpResponse | null> {
  if (method !== 'GET' && method !== 'HEAD') return null
  switch (path) {
    case '/health/live':
      return json(200, { status: 'live' })
    case '/health/ready': {
      const reasons = await health.reasons()
      if (reasons.length === 0) return json(200, { status: 'ready' })
      return json(503, { status: 'not ready', reasons })
    }
    case '/metrics': {
      const headers = { 'content-type': metrics.registry.contentType }
      return { status: 200, headers, body: Buffer.from(await metrics.registry.metrics()) }
    }
    default:
      return null
  }
}

export const json = (status: number, body: unknown): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: Buffer.from(JSON.stringify(body)),
})
