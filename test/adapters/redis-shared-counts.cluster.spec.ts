import { afterAll, describe, expect, it } from 'vitest'
import {
  type ReconnectingCounts,
  redisSharedCounts,
} from '../../libs/adapters/redis/redis-shared-counts.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { ClientCounts, type ClientCountsOptions } from '../../services/api/limits/client-counts.ts'
import type { LimitVerdict } from '../../services/api/limits/limit-verdict.ts'
import { countingLaws } from '../../services/api/limits/testing/counting-laws.ts'
import { noCluster } from '../support/cluster.ts'
import { ownRedis } from '../support/own-redis.ts'
import { until } from '../support/until.ts'

// Of our own: it is killed and paused.
const redis = ownRedis()
const deployment = 'ours'
const place = 'limits:ours:requests'

describe.skipIf(noCluster)('processes that share counts in Redis', () => {
  let processes = 0
  const opened: ReconnectingCounts[] = []
  const countsOf = () => {
    const counts = redisSharedCounts({
      ...{ url: redis.url, prefix: 'limits:', deployment, process: `p${processes++}` },
      // A busy machine must not be what ends a round trip.
      commandTimeoutMs: 10_000,
      log: silentLog,
      metrics: startMetrics(),
    })
    opened.push(counts)
    return counts
  }
  const process = (options: Partial<ClientCountsOptions> = {}) =>
    new ClientCounts({ shared: countsOf(), windowMs: 3_600_000, clientsMax: 10_000, ...options })

  /** Until each is connected and subscribed. */
  const ready = async () => {
    for (const counts of opened) expect(await counts.connected(10_000)).toBe(true)
    await until('all are subscribed', async () => {
      const [, subscribers] = await redis.direct.pubsub('NUMSUB', place)
      return Number(subscribers) >= opened.length
    })
  }

  afterAll(async () => {
    for (const counts of opened) await counts.close()
  })

  countingLaws({ process, ready })

  it.each([1, 2, 4])(
    '%i of them never admit more than the limit in any window, at their edges',
    async (many) => {
      const windowMs = 150
      const all = Array.from({ length: many }, () => process({ windowMs }))
      await ready()
      const limit = 25
      const admitted = new Map<number, number>()
      const count = ({ isAllowed, window }: LimitVerdict) => {
        if (isAllowed) admitted.set(window, (admitted.get(window) ?? 0) + 1)
      }
      const flood = async (one: ClientCounts) => {
        while (admitted.size < 12) {
          const asked = Array.from({ length: 5 }, () => one.take(`edge ${many}`, limit))
          for (const verdict of await Promise.all(asked)) count(verdict)
          await new Promise((resolve) => setImmediate(resolve))
        }
      }
      await Promise.all(all.map(flood))
      const counts = [...admitted.values()]
      expect(Math.max(...counts)).toBe(limit)
      // The first and the last are not whole.
      expect(counts.slice(1, -1)).toEqual(counts.slice(1, -1).map(() => limit))
    },
  )

  it('leaves nothing in Redis when the windows are over', async () => {
    const one = process({ windowMs: 1_000 })
    await ready()
    for (let n = 0; n < 50; n++) await one.take(`short ${n}`, 10)
    const keys = await redis.direct.keys(`${place}:*:short *`)
    expect(keys.length).toBeGreaterThan(0)
    for (const key of keys) expect(await redis.direct.pttl(key)).toBeLessThanOrEqual(2_000)
  })

  it('count on alone when Redis dies within a window, and together when it is back', async () => {
    const [one, other] = [process(), process()]
    await ready()
    for (let n = 0; n < 6; n++) expect((await one.take('dies', 20)).isAllowed).toBe(true)
    await redis.server.kill()
    const local: boolean[] = []
    for (let n = 0; n < 30; n++) local.push((await one.take('dies', 20)).isAllowed)
    expect(local.filter((isAllowed) => isAllowed).length).toBe(14)
    await redis.server.restart()
    // All of Redis is lost. What one has admitted it states again, as soon as it is asked.
    await ready()
    await one.take('dies', 10_000)
    expect((await other.take('dies', 21)).isAllowed).toBe(false)
    expect((await other.take('dies', 22)).isAllowed).toBe(true)
    expect((await other.take('dies', 22)).isAllowed).toBe(false)
  })
})
