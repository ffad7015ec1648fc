import { withCircuitBreaker } from '../../../libs/adapters/clickhouse/with-circuit-breaker.ts'
import type { HttpHandler } from '../../../libs/ports/http.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { events } from '../../../libs/signals/events.ts'
import { startApi } from '../../api/api.ts'
import { notReady } from '../../api/http/responses.ts'
import type { Run } from '../command.ts'
import { logWithChainCheck } from './chain-check.ts'
import { openServerStore, readingAddress } from './clickhouse-access.ts'
import { openKafka } from './open-kafka.ts'
import { limitTopics, openLimits, openSharedCounts } from './open-limits.ts'
import { openPagesCache } from './open-pages-cache.ts'
import { listen, type ServiceContext, serve, serveHealth } from './serve.ts'
import { waitUntilReady } from './wait-until-ready.ts'
import { answerSupervisor, ownWorkerNumber } from './workers/own-worker.ts'
import { supervise } from './workers/supervisor.ts'

type ApiSettings = SettingsOf<'api'>

/** After the workers of a supervisor, which have 8 s as any service. */
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
    const handler = await openApi(context, settings)
    return listenForApi(context, settings, { handler, isShared: true })
  }
  await serveHealth(context, settings)
  let answers = notReady
  await listenForApi(context, settings, { handler: (request) => answers(request) })
  answers = await openApi(context, settings)
}

async function listenForApi(
  { log, metrics, components, signal }: ServiceContext,
  { host, port }: ApiSettings,
  options: { readonly handler: HttpHandler; readonly isShared?: boolean },
): Promise<void> {
  const where = { host, port, flags: 'host and port' } as const
  const server = await listen({ ...where, ...options, log, metrics })
  components.add({ name: 'server', stop: () => server.close() })
  signal.addEventListener('abort', () => server.drain())
  log.info({ event: events.api.listening, host, port: server.port }, 'serving the API')
}

/** The API, once its servers are there. */
async function openApi(context: ServiceContext, settings: ApiSettings): Promise<HttpHandler> {
  const { log, metrics, components } = context
  const address = readingAddress(settings)
  const guarded = { address, guard: withCircuitBreaker }
  const { store, deployment } = await openServerStore(context, settings.chainId, guarded)
  // Announcements do not contain their chain: `blocks`, with the same prefix, does.
  const kafka = await openKafka(context, {
    settings,
    topics: ['blocks', 'changes', ...limitTopics(settings)],
  })
  const feed = await logWithChainCheck(context, kafka, deployment.chainId)
  const cache = await openPagesCache(context, settings, deployment)
  const shared = await openSharedCounts({ ...context, settings, deployment })
  const requestLimits = await waitUntilReady(context, () =>
    openLimits({ ...context, settings, eventLog: feed, shared }),
  )
  const { chainId } = deployment
  const { figuresStepSeconds, pageCacheBytesMax } = settings
  const limits = { figuresStepSeconds, pageCacheBytesMax }
  const api = await waitUntilReady(context, () =>
    startApi({
      store,
      events: feed,
      chainId,
      log,
      metrics,
      limits,
      requestLimits,
      trustedProxies: settings.trustedProxies,
      replicaCheck: settings.clickhouseReplicaCheck,
      ...(cache === null ? {} : { cache }),
    }),
  )
  components.add({ name: 'api', stop: () => api.stop() })
  return api.handler
}
