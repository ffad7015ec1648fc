import { redisCache } from '../../../../libs/adapters/redis/redis-cache.ts'
import { checkRedis, type RedisOptions } from '../../../../libs/adapters/redis/redis-client.ts'
import type { RedisFailureKind } from '../../../../libs/adapters/redis/redis-failure.ts'
import type { Cache } from '../../../../libs/ports/cache.ts'
import type { SettingsOf } from '../../../../libs/settings/settings.ts'
import type { Deployment } from '../../../../libs/tables/deployment.ts'
import type { ServiceContext } from '../serve.ts'
import { readCertificate } from './certificate-file.ts'
import { redisServers } from './redis-servers.ts'

/**
 * Failures that waiting cannot resolve. All others only cost time: Redis is used once it is
 * available.
 */
const refused: readonly RedisFailureKind[] = [
  'wrong-credentials',
  'not-a-redis',
  'not-encrypted',
  'certificate',
  'another-deployment',
]

/** A start continues without Redis if it is not in use by then. */
const connectWaitMsMax = 2_000

/**
 * What API processes share and projectors write to; null without a Redis.
 * @throws StartupError, RedisFailure
 */
export async function openPagesCache(
  { log, metrics, components }: ServiceContext,
  settings: SettingsOf<'api' | 'projector'>,
  deployment: Deployment,
): Promise<Cache | null> {
  if (settings.redisUrl === null) return null
  const authority = readCertificate(settings.redisCaFile, '--redis-ca-file')
  const form: RedisOptions = {
    url: settings.redisUrl,
    prefix: settings.redisPrefix,
    deployment: deployment.id,
    ...(authority === null ? {} : { authority }),
  }
  const urls = redisServers(form.url)
  const failures = await Promise.all(urls.map((url) => checkRedis({ ...form, url })))
  const failure = failures.find((one) => one !== null && refused.includes(one.kind))
  if (failure) throw failure
  const limits = { commandTimeoutMs: settings.redisTimeoutMs }
  const cache = redisCache({ ...form, log, metrics, limits })
  components.add({ name: 'cache', stop: () => cache.close() })
  // What the start asks of it must not find a link that is still being made: an api looks whether
  // the pages are of this log. One that did not answer just now is not waited for.
  if (failures.every((one) => one === null)) await cache.connected(connectWaitMsMax)
  return cache
}
