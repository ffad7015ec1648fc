import { expect, test } from 'vitest'
import { readSettings } from '../../../../libs/settings/read-settings.ts'
import { silentLog } from '../../../../libs/signals/log.ts'
import { startMetrics } from '../../../../libs/signals/metrics.ts'
import { StartupError } from '../../../../libs/signals/startup-error.ts'
import { startComponents } from '../../process/run-until-stopped.ts'
import { Health } from '../health.ts'
import { openSharedCounts } from './open-limits.ts'
import { openPagesCache } from './open-pages-cache.ts'
import { redisServers } from './redis-servers.ts'

const deployment = { id: '0123456789abcdef', chainId: 1 }
const context = {
  ...{ log: silentLog, metrics: startMetrics(), health: new Health() },
  ...{ components: startComponents(), signal: new AbortController().signal },
}

/** What a start with that setting reports, of pages and of counts. */
const failures = (redisUrl: string) => {
  const given = { flags: { redisUrl, limits: 'true' }, environment: {} }
  const settings = readSettings('api', given)
  return [
    openPagesCache(context, settings, deployment),
    openSharedCounts({ ...context, settings, deployment }),
  ].map((opened) =>
    opened.then(
      () => null,
      (error: unknown) => error,
    ),
  )
}

test.each([
  ['a comma within a password', 'redis://ann:sec,ret@cache', 'part 1 between commas'],
  ['one that leaves a port', 'redis://ann:12,ret@cache', 'part 2 between commas'],
  ['no URL beside one', 'redis://:secret@cache,ret@other', 'part 2 between commas'],
  ['one that is no URL', 'sec:ret@cache', 'redis://host:port/database'],
  ['an empty part', 'redis://:secret@cache,', 'is empty'],
])('%s ends the start with the setting and the cause', async (_, url, cause) => {
  for (const failure of failures(url)) {
    const error = await failure
    expect(error).toBeInstanceOf(StartupError)
    expect(String(error)).toContain('FOLDSCAN_REDIS_URL')
    expect(String(error)).toContain(cause)
    expect(String(error)).toContain('%2C')
    expect(String(error)).not.toMatch(/sec|ret@/)
  }
})

test('a comma within a password is %2C', () =>
  expect(redisServers('redis://:a%2Cb@one, redis://:c@two')).toEqual([
    'redis://:a%2Cb@one',
    'redis://:c@two',
  ]))
