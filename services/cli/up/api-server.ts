import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { HttpHandler } from '../../../libs/ports/http.ts'
import type { Store } from '../../../libs/ports/store.ts'
import type { Settings } from '../../../libs/settings/settings.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import { type Api, startApi } from '../../api/api.ts'
import { countedNotReady } from '../../api/not-ready.ts'
import { AuditFigures } from '../auditing/audit-figures.ts'
import type { Components } from '../process/run-until-stopped.ts'
import { Health, withHealth } from '../serve/health.ts'
import { listen } from '../serve/serve.ts'
import { allowedConnections } from '../serve/servers/connections-max.ts'
import { openLimits } from '../serve/servers/open-limits.ts'
import type { ConsoleUi } from './console-ui.ts'

interface ListenerOptions {
  readonly settings: Settings
  readonly log: Log
  readonly components: Components
  readonly metrics: Metrics
}

/** The port of `up`: health and metrics from the first moment, the API once it is open. */
interface ApiListener {
  readonly port: number
  readonly health: Health
  readonly setHandler: (handler: HttpHandler) => void
}

/**
 * Listens before anything slow begins: a port in use is then found at once. Health and metrics are
 * beside the API, because by default only the own machine reaches the embedded form.
 * @throws StartupError where it cannot listen, or too few files may be open
 */
export async function listenForApi(options: ListenerOptions): Promise<ApiListener> {
  const { settings, log, components, metrics } = options
  const { host, port } = settings
  const health = new Health()
  let answers = countedNotReady(metrics)
  const handler = withHealth(health, metrics, (request) => answers(request))
  const connectionsMax = allowedConnections(settings)
  const where = { host, port, connectionsMax, flags: 'host and port' } as const
  const server = await listen({ ...where, handler, log, metrics })
  components.add({ name: 'server', stop: () => server.close() })
  return {
    port: server.port,
    health,
    setHandler(next) {
      answers = next
    },
  }
}

interface ApiServerOptions extends ListenerOptions {
  readonly listener: ApiListener
  readonly ui: ConsoleUi
  readonly eventLog: EventLog
  readonly store: Store
  readonly chainId: number
}

interface ApiServer {
  readonly api: Api
  /** Where people reach it. */
  readonly origin: string
  /** What `--audit` finds; null without it. */
  readonly figures: AuditFigures | null
}

/** The API, answering on its listener. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { settings, log, ui, components, listener } = options
  const { figuresStepSeconds, pageCacheBytesMax, trustedProxies, publishedTypes } = settings
  const limits = { figuresStepSeconds, pageCacheBytesMax }
  const requestLimits = await openLimits({ ...options, eventLog: options.eventLog, shared: null })
  const statusPage = settings.statusPage === 'shown'
  const figures = settings.audit ? new AuditFigures(options.metrics) : null
  const audit = () => figures?.shown ?? null
  const api = await startApi({
    ...{ ...options, limits, requestLimits, trustedProxies, publishedTypes, statusPage, audit },
  })
  components.add({ name: 'api', stop: () => api.stop() })
  const { health, port } = listener
  health.add(() => (api.head() === null ? noBlockYet : null))
  health.started()
  listener.setHandler(api.handler)
  const { host } = settings
  log.info({ event: events.api.listening, host, port }, 'serving the API')
  const origin = `http://${reachable(host)}:${port}`
  ui.listening(origin)
  return { api, origin, figures }
}

const noBlockYet = { reason: 'starting', sentence: 'no block is indexed yet' }

/** A wildcard host cannot be opened in a browser; IPv6 needs its brackets. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
