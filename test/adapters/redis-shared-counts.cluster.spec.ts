import { afterAll, describe, expect, it, vi } from 'vitest'
import {
  type ReconnectingCounts,
  redisSharedCounts,
} from '../../libs/adapters/redis/redis-shared-counts.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { ClientCounts, requestsPerBatch } from '../../services/api/request/limits/client-counts.ts'
import { countingLaws } from '../../services/api/request/limits/testing/counting-laws.ts'
import { noCluster } from '../support/cluster.ts'
import { ownRedis } from '../support/own-redis.ts'

// Of our own: it is killed and paused.
const redis = ownRedis()
const deployment = 'ours'
/** Of windows of that length, in seconds. */
const placeOf = (windowSeconds: number) => `limits:ours:requests:${windowSeconds}`

describe.skipIf(noCluster)('processes that share counts in Redis', () => {
  const opened: ReconnectingCounts[] = []
  const process = (windowSeconds = 3_600) => {
    const counts = redisSharedCounts({
      ...{ url: redis.url, prefix: 'limits:', deployment, windowSeconds },
      // A busy machine must not be what ends a round trip.
      commandTimeoutMs: 10_000,
      log: silentLog,
      metrics: startMetrics(),
    })
    opened.push(counts)
    return new ClientCounts({ shared: counts, windowMs: windowSeconds * 1_000, clientsMax: 10_000 })
  }

  const ready = async () => {
    for (const counts of opened) expect(await counts.connected(10_000)).toBe(true)
  }

  afterAll(async () => {
    for (const counts of opened) await counts.close()
  })

  countingLaws({ process: () => process(), ready })

  it('admit no more than the limit and a batch each in a window, at their edges', async () => {
    const all = Array.from({ length: 4 }, () => process(1))
    await ready()
    const limit = 25
    const admittedAt: number[] = []
    const until = performance.now() + 2_500
    const flood = async (one: ClientCounts) => {
      while (performance.now() < until) {
        const { isAllowed } = await one.take('edges', limit)
        if (isAllowed) admittedAt.push(performance.now())
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    await Promise.all(all.map(flood))
    for (const from of admittedAt) {
      const within = admittedAt.filter((at) => at >= from && at < from + 900)
      expect(within.length).toBeLessThanOrEqual(limit + all.length * requestsPerBatch(limit))
    }
    expect(admittedAt.length).toBeGreaterThan(2 * limit)
  })

  it('leaves nothing in Redis when the windows are over', async () => {
    const one = process(1)
    await ready()
    for (let n = 0; n < 50; n++) await one.take(`short ${n}`, 10)
    await vi.waitFor(async () => {
      expect(await redis.direct.keys(`${placeOf(1)}:short *`)).toHaveLength(50)
    })
    for (const key of await redis.direct.keys(`${placeOf(1)}:short *`)) {
      expect(await redis.direct.pttl(key)).toBeLessThanOrEqual(1_000)
    }
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
    await ready()
    // All of Redis is lost; what was admitted meanwhile is stated with the next requests, but for
    // what was under way.
    const counted = await vi.waitFor(async () => {
      expect((await one.take('dies', 20)).isAllowed).toBe(false)
      const found = Number(await redis.direct.get(`${placeOf(3_600)}:dies`))
      expect(found).toBeGreaterThanOrEqual(10)
      return found
    })
    let admitted = 0
    for (let n = 0; n < 30; n++) if ((await other.take('dies', 20)).isAllowed) admitted += 1
    expect(admitted).toBeLessThanOrEqual(20 - counted + requestsPerBatch(20))
  })
})
