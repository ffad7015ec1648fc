import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import type { HttpHandler } from '../../libs/ports/http.ts'
import type { Store } from '../../libs/ports/store.ts'
import type { Settings } from '../../libs/settings/settings.ts'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { startApi } from '../api/api.ts'
import type { Face } from './face.ts'
import type { Parts } from './parts.ts'
import { Health } from './serve/health.ts'
import { healthAnswers } from './serve/health-answers.ts'

export interface ApiWish {
  readonly settings: Settings
  readonly log: Log
  readonly face: Face
  readonly parts: Parts
  readonly events: EventLog
  readonly store: Store
  readonly metrics: Metrics
  readonly chainId: number
}

export interface OpenApi {
  readonly handler: HttpHandler
  /** Where people reach it. */
  readonly origin: string
}

/**
 * The API, listening, with health and metrics beside it: the embedded form is one process, and by
 * default only its own machine reaches it.
 * @throws with one sentence if the port is taken
 */
export async function openApi(wish: ApiWish): Promise<OpenApi> {
  const { settings, log, face, parts } = wish
  const limits = { figuresStepSeconds: settings.figuresStepSeconds }
  const api = await startApi({ ...wish, limits })
  parts.add({ name: 'api', stop: () => api.stop() })
  const health = new Health()
  health.add(() => (api.head() === null ? noBlockYet : null))
  health.begun()
  const healthOrNull = healthAnswers(health, wish.metrics)
  const { handler } = api
  const { host } = settings
  const server = await uwsServer({
    host,
    port: settings.port,
    handler: (request) => healthOrNull(request) ?? handler(request),
    log,
  })
  parts.add({ name: 'server', stop: () => server.close() })
  log.info({ event: events.api.listening, host, port: server.port }, 'serving the API')
  const origin = `http://${reachable(host)}:${server.port}`
  face.listening(origin)
  return { handler, origin }
}

const noBlockYet = { reason: 'starting', sentence: 'no block is indexed yet' }

/** A host that stands for all addresses cannot be opened; IPv6 needs its brackets. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
