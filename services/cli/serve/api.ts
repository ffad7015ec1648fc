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

type ApiSettings = SettingsOf<'api'>

/** `foldscan api`: answers from ClickHouse, and learns from Kafka which pages changed. */
export const serveApi: Run<'api'> = (settings, { log }) =>
  serve('api', { log, drainMs: settings.drainSeconds * 1_000 }, (context) =>
    start(context, settings),
  )

async function start(context: ServiceContext, settings: ApiSettings): Promise<void> {
  await serveHealth(context, settings)
  const { log, metrics, components } = context
  const { host, port: wanted } = settings
  let answers = notReady
  const handler: HttpHandler = (request) => answers(request)
  const where = { host, port: wanted, flags: 'host and port' } as const
  const server = await listen({ ...where, log, metrics, handler })
  components.add({ name: 'server', stop: () => server.close() })
  context.signal.addEventListener('abort', () => server.drain())
  log.info({ event: events.api.listening, host, port: server.port }, 'serving the API')
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
  answers = api.handler
}
