import type { HttpHandler } from '../../../libs/ports/http.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { events } from '../../../libs/signals/events.ts'
import { countedNotReady } from '../../api/not-ready.ts'
import type { Run } from '../command.ts'
import { openApiHandler } from './open-api-handler.ts'
import { listen, type ServiceContext, serve, serveHealth } from './serve.ts'
import { allowedConnections } from './servers/connections-max.ts'

type ApiSettings = SettingsOf<'api'>

/** `foldscan api`: answers from ClickHouse, and learns from Kafka which pages changed. */
export const serveApi: Run<'api'> = (settings, { log }) => {
  const drainMs = settings.drainSeconds * 1_000
  return serve('api', { log, drainMs }, (context) => start(context, settings))
}

async function start(context: ServiceContext, settings: ApiSettings): Promise<void> {
  await serveHealth(context, settings)
  let answers = countedNotReady(context.metrics)
  await listenForApi(context, settings, (request) => answers(request))
  answers = await openApiHandler(context, settings)
}

async function listenForApi(
  { log, metrics, components, signal }: ServiceContext,
  settings: ApiSettings,
  handler: HttpHandler,
): Promise<void> {
  const { host, port } = settings
  const connectionsMax = allowedConnections(settings)
  const where = { host, port, connectionsMax, flags: 'host and port' } as const
  const server = await listen({ ...where, handler, log, metrics })
  components.add({ name: 'server', stop: () => server.close() })
  signal.addEventListener('abort', () => server.drain())
  log.info({ event: events.api.listening, host, port: server.port }, 'serving the API')
}
