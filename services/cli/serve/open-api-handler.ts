import { withCircuitBreaker } from '../../../libs/adapters/clickhouse/with-circuit-breaker.ts'
import type { HttpHandler } from '../../../libs/ports/http.ts'
import { declaredQueries } from '../../../libs/queries/reading/query.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { startApi } from '../../api/api.ts'
import { AuditFigures } from '../auditing/audit-figures.ts'
import { startAuditing } from '../start-auditing.ts'
import { logWithChainCheck } from './chain-check.ts'
import { requireVersions } from './other-versions.ts'
import type { ServiceContext } from './serve.ts'
import { openServerStore, readingAddress, withAccessCheck } from './servers/clickhouse-access.ts'
import { openKafka } from './servers/open-kafka.ts'
import { limitTopics, openLimits, openSharedCounts } from './servers/open-limits.ts'
import { openPagesCache } from './servers/open-pages-cache.ts'
import { waitUntilReady } from './wait-until-ready.ts'

/** The API, once its servers are there. */
export async function openApiHandler(
  context: ServiceContext,
  settings: SettingsOf<'api'>,
): Promise<HttpHandler> {
  const { log, metrics, components } = context
  const address = readingAddress(settings)
  const { store, deployment } = await openServerStore(context, settings.chainId, {
    address,
    cluster: settings.clickhouseCluster,
    sent: { queries: declaredQueries().map(({ name }) => name), tables: [] },
    guard: withCircuitBreaker,
  })
  await waitUntilReady(context, () => requireVersions(store))
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
  const figures = settings.auditSource === null ? null : new AuditFigures(metrics)
  const { figuresStepSeconds, pageCacheBytesMax, publishedTypes } = settings
  const limits = { figuresStepSeconds, pageCacheBytesMax }
  const start = () =>
    startApi({
      store,
      eventLog: feed,
      chainId,
      log,
      metrics,
      limits,
      publishedTypes,
      statusPage: settings.statusPage === 'shown',
      audit: () => figures?.shown ?? null,
      requestLimits,
      trustedProxies: settings.trustedProxies,
      replicaCheck: settings.clickhouseReplicaCheck,
      cluster: settings.clickhouseCluster,
      ...(cache === null ? {} : { cache }),
    })
  const api = await waitUntilReady(context, () => withAccessCheck(address, start))
  components.add({ name: 'api', stop: () => api.stop() })
  if (settings.auditSource !== null && figures !== null) {
    startAuditing({ ...context, settings, url: settings.auditSource, chainId, api, figures })
  }
  return api.handler
}
