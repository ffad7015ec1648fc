import { describe, expect, it } from 'vitest'
import { clearIfTopicRecreated, consumedUpTo } from '../../services/api/pages/pages.ts'
import { noCluster } from '../support/cluster.ts'
import { ownRedis } from '../support/own-redis.ts'
import { until } from '../support/until.ts'
import { watchedCache } from '../support/watched-cache.ts'

const first = ownRedis()
const second = ownRedis()
const entry = (text: string, position = 1) => ({ bytes: Buffer.from(text), position })
const keys = Array.from({ length: 40 }, (_, at) => `page ${at}`)
const limits = { commandTimeoutMs: 2_000, failuresMax: 3, pauseMsMin: 50, pauseMsMax: 400 }

describe.skipIf(noCluster)('a cache on two servers', () => {
  it('goes on with the keys of one while the other is lost', { timeout: 60_000 }, async () => {
    const bed = watchedCache({ url: `${first.url},${second.url}`, prefix: 'two:', limits })
    expect(await bed.cache.connected(10_000)).toBe(true)
    await bed.cache.set(keys.map((key) => [key, entry(key)]))
    await bed.cache.set([consumedUpTo(9)])
    const found = async () => (await bed.cache.get(keys)).map((one) => String(one?.bytes))
    expect(await found()).toEqual(keys)
    const has = await Promise.all(keys.map((key) => first.direct.exists(`two:ours:${key}`)))
    const ofFirst = keys.filter((_, at) => has[at] === 1)
    expect(ofFirst.length).toBeGreaterThan(5)
    expect(ofFirst.length).toBeLessThan(35)
    const [own = ''] = ofFirst
    const [others = ''] = keys.filter((key) => !ofFirst.includes(key))
    await second.server.kill()
    await until('one of two is away', async () => (await bed.isAway()) === 1)
    expect(await found()).toEqual(keys.map((key) => (ofFirst.includes(key) ? key : 'undefined')))
    expect(await bed.cache.lease(own, 'me', 1_000)).toBe('taken')
    expect(await bed.cache.lease(others, 'me', 1_000)).toBe('unanswered')
    // Either of them knows whether its pages are of an earlier topic.
    expect(await clearIfTopicRecreated(bed.cache, async () => 3)).toBe(true)
    await second.server.restart()
    await bed.used()
    await bed.cache.set(keys.map((key) => [key, entry(`${key} again`, 2)]))
    expect(await found()).toEqual(keys.map((key) => `${key} again`))
    await bed.cache.close()
  })

  it('keeps pages compressed', async () => {
    const bed = watchedCache({ url: `${first.url},${second.url}`, prefix: 'small:', limits })
    await bed.cache.connected(10_000)
    const page = entry(JSON.stringify(Array.from({ length: 500 }, (_, at) => ({ block: at }))))
    await bed.cache.set([['page', page]])
    expect(await bed.cache.get(['page'])).toEqual([page])
    const sizes = [first, second].map(({ direct }) => direct.strlen('small:ours:page'))
    expect(Math.max(...(await Promise.all(sizes)))).toBeLessThan(page.bytes.length / 3)
    await bed.cache.close()
  })
})
