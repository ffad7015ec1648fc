import type { HttpHandler } from '../../../libs/ports/http.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { events } from '../../../libs/signals/events.ts'
import { countedNotReady } from '../../api/http/not-ready.ts'
import type { Run } from '../command.ts'
import { allowedConnections } from './connections-max.ts'
import { listen, type ServiceContext, serve, serveHealth } from './serve.ts'
import { answerSupervisor, ownWorkerNumber } from './workers/own-worker.ts'
import { supervise } from './workers/supervisor.ts'

type ApiSettings = SettingsOf<'api'>

/** After the workers of a supervisor, which have 8 s as every service. */
const supervisorStopTimeoutMs = 9_500

/** `foldscan api`: answers from ClickHouse, and learns from Kafka which pages changed. */
export const serveApi: Run<'api'> = (settings, { log }) => {
  const worker = ownWorkerNumber()
  const drainMs = settings.drainSeconds * 1_000
  if (worker === null && settings.workers > 1) {
    const options = { log, drainMs, stopTimeoutMs: supervisorStopTimeoutMs }
    return serve('api', options, (context) => supervise(context, settings))
  }
  return serve('api', { log, drainMs }, (context) => start(context, settings, worker))
}

/** @param worker its number among the workers of a supervisor; null if it runs by itself */
async function start(
  context: ServiceContext,
  settings: ApiSettings,
  worker: number | null,
): Promise<void> {
  if (worker !== null) {
    answerSupervisor(context, worker)
    // It listens once it can answer: a worker that is started again gets no connections before.
    const handler = await loadApi(context, settings)
    return listenForApi(context, settings, { handler, isShared: true })
  }
  await serveHealth(context, settings)
  let answers = countedNotReady(context.metrics)
  await listenForApi(context, settings, { handler: (request) => answers(request) })
  answers = await loadApi(context, settings)
}

async function listenForApi(
  { log, metrics, components, signal }: ServiceContext,
  settings: ApiSettings,
  options: { readonly handler: HttpHandler; readonly isShared?: boolean },
): Promise<void> {
  const { host, port } = settings
  const connectionsMax = allowedConnections(settings)
  const where = { host, port, connectionsMax, flags: 'host and port' } as const
  const server = await listen({ ...where, ...options, log, metrics })
  components.add({ name: 'server', stop: () => server.close() })
  signal.addEventListener('abort', () => server.drain())
  log.info({ event: events.api.listening, host, port: server.port }, 'serving the API')
}

/** Imports late: a supervisor has no use for it, nor memory. */
async function loadApi(context: ServiceContext, settings: ApiSettings): Promise<HttpHandler> {
  const { openApiHandler } = await import('./open-api-handler.ts')
  return openApiHandler(context, settings)
}
