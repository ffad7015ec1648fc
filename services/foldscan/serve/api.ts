import { withCircuitBreaker } from '../../../libs/adapters/clickhouse/with-circuit-breaker.ts'
import type { HttpHandler } from '../../../libs/ports/http.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { events } from '../../../libs/signals/events.ts'
import { startApi } from '../../api/api.ts'
import { notReady } from '../../api/http/not-ready.ts'
import type { Run } from '../command.ts'
import { listen } from '../listen.ts'
import { readingAddress } from './clickhouse-address.ts'
import { logWithChainCheck } from './of-chain.ts'
import { openKafka } from './open-kafka.ts'
import { openPagesCache } from './open-pages-cache.ts'
import { openServerStore } from './open-server-store.ts'
import { type ServiceContext, serve, serveHealth } from './serve.ts'
import { waitUntilReady } from './until-there.ts'

type ApiSettings = SettingsOf<'api'>

/** `foldscan api`: answers from ClickHouse, and learns from Kafka which pages changed. */
export const serveApi: Run<'api'> = (settings, { log }) =>
  serve('api', { log, drainMs: settings.drainSeconds * 1_000 }, (bed) => start(bed, settings))

async function start(bed: ServiceContext, settings: ApiSettings): Promise<void> {
  await serveHealth(bed, settings)
  const { log, metrics, parts } = bed
  const { host, port: wanted } = settings
  let answers = notReady
  const handler: HttpHandler = (request) => answers(request)
  const where = { host, port: wanted, flags: 'host and port' } as const
  const server = await listen({ ...where, log, metrics, handler })
  parts.add({ name: 'server', stop: () => server.close() })
  bed.signal.addEventListener('abort', () => server.drain())
  log.info({ event: events.api.listening, host, port: server.port }, 'serving the API')
  const address = readingAddress(settings)
  const guarded = { address, guard: withCircuitBreaker }
  const { store, deployment } = await openServerStore(bed, settings.chainId, guarded)
  // Announcements do not say their chain: that of their neighbour tells.
  const kafka = await openKafka(bed, { settings, topics: ['blocks', 'changes'] })
  const feed = await logWithChainCheck(bed, kafka, deployment.chainId)
  const cache = await openPagesCache(bed, settings, deployment)
  const { chainId } = deployment
  const { figuresStepSeconds, pageCacheBytesMax } = settings
  const limits = { figuresStepSeconds, pageCacheBytesMax }
  const api = await waitUntilReady(bed, () =>
    startApi({
      store,
      events: feed,
      chainId,
      log,
      metrics,
      limits,
      replicaCheck: settings.clickhouseReplicaCheck,
      ...(cache === null ? {} : { cache }),
    }),
  )
  parts.add({ name: 'api', stop: () => api.stop() })
  answers = api.handler
}
