import { redisAddress } from '../../../../libs/adapters/redis/redis-client.ts'
import { redisSharedCounts } from '../../../../libs/adapters/redis/redis-shared-counts.ts'
import { serverOfKey } from '../../../../libs/adapters/redis/server-of-key.ts'
import type { EventLog } from '../../../../libs/ports/event-log.ts'
import type { SharedCounts } from '../../../../libs/ports/shared-counts.ts'
import type { SettingsOf } from '../../../../libs/settings/settings.ts'
import type { Log } from '../../../../libs/signals/log.ts'
import type { Metrics } from '../../../../libs/signals/metrics.ts'
import type { Deployment } from '../../../../libs/tables/deployment.ts'
import {
  type RequestLimits,
  startRequestLimits,
} from '../../../api/request/limits/request-limits.ts'
import type { Components } from '../../process/run-until-stopped.ts'
import { readCertificate } from './certificate-file.ts'
import { redisServers } from './redis-servers.ts'

interface OpenLimitsOptions {
  readonly settings: LimitSettings
  readonly components: Components
  readonly eventLog: EventLog
  /** Null: this process counts alone. */
  readonly shared: SharedCounts | null
  readonly log: Log
  readonly metrics: Metrics
}

type LimitSettings = Pick<
  SettingsOf<'up'>,
  'limits' | 'limitRequests' | 'limitWindowSeconds' | 'limitClientsMax' | 'trustedProxies'
>

/** Topics that an api with limits reads besides. */
export const limitTopics = ({ limits }: LimitSettings): readonly string[] =>
  limits ? ['api-keys'] : []

/** Limits of requests, with the API keys of the log; null where they are off. */
export async function openLimits(options: OpenLimitsOptions): Promise<RequestLimits | null> {
  const { settings, components, eventLog, shared, log, metrics } = options
  if (!settings.limits) return null
  const stopping = new AbortController()
  const { limits, following } = await startRequestLimits({
    settings: {
      requests: settings.limitRequests,
      windowMs: settings.limitWindowSeconds * 1_000,
      clientsMax: settings.limitClientsMax,
      trustedProxies: settings.trustedProxies,
      shared,
    },
    eventLog,
    signal: stopping.signal,
    log,
    metrics,
  })
  components.add({
    name: 'API keys',
    stop() {
      stopping.abort()
      return following
    },
  })
  return limits
}

interface OpenSharedCountsOptions
  extends Pick<OpenLimitsOptions, 'components' | 'log' | 'metrics'> {
  readonly settings: LimitSettings &
    Pick<SettingsOf<'api'>, 'redisUrl' | 'redisCaFile' | 'redisPrefix' | 'redisTimeoutMs'>
  readonly deployment: Deployment
}

/** A start continues without Redis if it is not in use by then. */
const connectWaitMsMax = 2_000

/**
 * Counts that api processes share; null without limits, or without a Redis.
 * @throws StartupError
 */
export async function openSharedCounts(
  options: OpenSharedCountsOptions,
): Promise<SharedCounts | null> {
  const { settings, components, deployment, log, metrics } = options
  if (!settings.limits || settings.redisUrl === null) return null
  const authority = readCertificate(settings.redisCaFile, '--redis-ca-file')
  const urls = redisServers(settings.redisUrl)
  const placeOf = serverOfKey(urls.map((url) => redisAddress(url).shown))
  const counts = redisSharedCounts({
    // A client has one counter: all of them are on the same server.
    url: urls[placeOf(`${deployment.id}:requests`)] ?? settings.redisUrl,
    prefix: settings.redisPrefix,
    deployment: deployment.id,
    ...(authority === null ? {} : { authority }),
    windowSeconds: settings.limitWindowSeconds,
    commandTimeoutMs: settings.redisTimeoutMs,
    log,
    metrics,
  })
  components.add({ name: 'counts of requests', stop: () => counts.close() })
  await counts.connected(connectWaitMsMax)
  return counts
}
