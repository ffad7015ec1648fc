import type { HttpHandler, HttpRequest, HttpResponse } from '../../../libs/ports/http.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import type { Health } from './health.ts'

/** Methods of all that is answered here. */
const allow = 'GET, HEAD'

/**
 * What supervisors and Prometheus ask for: /health/live, /health/ready and /metrics. Null for any
 * other path, also for another spelling of these: a rule of a proxy that hides them must hide all
 * of it. Never with CORS, so that no web page reads them through somebody's browser.
 */
export function healthRoutes(
  health: Health,
  metrics: Metrics,
): (request: Pick<HttpRequest, 'path' | 'method'>) => Promise<HttpResponse> | null {
  const answers = new Map<string, () => Promise<HttpResponse>>([
    ['/health/live', async () => json(200, { status: 'live' })],
    ['/health/ready', () => readiness(health)],
    ['/metrics', () => exposition(metrics)],
  ])
  return ({ path, method }) => {
    const answer = answers.get(path)
    if (answer === undefined) return null
    return method === 'GET' || method === 'HEAD' ? answer() : Promise.resolve(refusal)
  }
}

/** The handler of a listener that serves health and metrics alone. */
export function healthHandler(health: Health, metrics: Metrics): HttpHandler {
  const answers = healthRoutes(health, metrics)
  return async (request) => (await answers(request)) ?? json(404, { status: 'not found' })
}

async function readiness(health: Health): Promise<HttpResponse> {
  const reasons = await health.reasons()
  if (reasons.length === 0) return json(200, { status: 'ready' })
  return json(503, { status: 'not ready', reasons })
}

async function exposition({ registry }: Metrics): Promise<HttpResponse> {
  const headers = { 'content-type': registry.contentType, 'cache-control': 'no-store' }
  return { status: 200, headers, body: Buffer.from(await registry.metrics()) }
}

const json = (status: number, body: unknown): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: Buffer.from(JSON.stringify(body)),
})

const { status, headers, body } = json(405, { status: 'method not allowed' })
const refusal: HttpResponse = { status, headers: { ...headers, allow }, body }
