import { redisCache } from '../../../libs/adapters/redis/redis-cache.ts'
import { checkRedis, type RedisForm } from '../../../libs/adapters/redis/redis-client.ts'
import type { RedisTroubleKind } from '../../../libs/adapters/redis/redis-trouble.ts'
import type { Cache } from '../../../libs/ports/cache.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import type { Deployment } from '../../../libs/tables/deployment.ts'
import { readCertificate } from './certificate-file.ts'
import type { ServiceContext } from './serve.ts'

/** What nobody mends by waiting. All else costs time only, and Redis is used once it is well. */
const refused: readonly RedisTroubleKind[] = [
  'wrong-credentials',
  'not-a-redis',
  'not-encrypted',
  'certificate',
  'another-deployment',
]

/** A start goes on without a Redis that is not used by then. */
const connectWaitMsMax = 2_000

/** What API processes share and projectors write to; null without a Redis. @throws RedisTrouble */
export async function openPagesCache(
  { log, metrics, components }: ServiceContext,
  settings: SettingsOf<'api' | 'projector'>,
  deployment: Deployment,
): Promise<Cache | null> {
  if (settings.redisUrl === null) return null
  const authority = readCertificate(settings.redisCaFile, '--redis-ca-file')
  const form: RedisForm = {
    url: settings.redisUrl,
    prefix: settings.redisPrefix,
    deployment: deployment.id,
    ...(authority === null ? {} : { authority }),
  }
  const trouble = await checkRedis(form)
  if (trouble !== null && refused.includes(trouble.kind)) throw trouble
  const limits = { commandTimeoutMs: settings.redisTimeoutMs }
  const cache = redisCache({ ...form, log, metrics, limits })
  components.add({ name: 'cache', stop: () => cache.close() })
  // What the start asks of it must not find a link that is still being made: an api looks whether
  // the pages are of this log. One that did not answer just now is not waited for.
  if (trouble === null) await cache.connected(connectWaitMsMax)
  return cache
}
