import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Stack } from '../../deploy/stack/stack.ts'
import { redisCache } from '../../libs/adapters/redis/redis-cache.ts'
import { events } from '../../libs/signals/events.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { consumedUpTo } from '../../services/api/pages/pages.ts'
import { noCluster, ownPlace } from '../support/cluster.ts'
import { boundMs } from '../support/slowness.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'
import { until } from '../support/until.ts'
import { endAll, mainnet, type Running } from '../up/running.ts'
import { type OwnServices, ownServices, reasonsOf, untilReasons } from './own-services.ts'
import { steadyAsks } from './steady-asks.ts'

/** On an idle machine, and starts of a process that a busy one may take instead. */
const stopping = [10_000, 6] as const
const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
/** Of the folder. */
const lastBlock = '17686121'
const page = `/api/v2/tokens/${weth}/transfers`

const saidBy = (service: Running, event: string) =>
  service.lines.filter((line) => line.event === event)

let colds = 0
/** A page that no cache has. */
const cold = () => `/api/v2/addresses/0xc${(++colds).toString(16).padStart(39, '0')}/logs`

/** Servers of its own: they are hurt. */
describe.skipIf(noCluster)('while a server is away', () => {
  let found: TestStack
  let stack: Stack
  let own: OwnServices
  let ingestor: Running
  let ledger: Running
  let state: Running
  let api: Running

  beforeAll(async () => {
    found = await startTestStack()
    if (found.form === 'none') throw new Error(found.reason)
    stack = found.stack
    const { kafka, clickhouse, redis } = stack
    const addresses = {
      kafka: kafka.address,
      clickhouse: clickhouse.address,
      redis: redis.address,
    }
    own = ownServices(addresses, ownPlace())
    expect(await own.run('migrate', { 'chain-id': '1' })).toMatchObject({ code: 0 })
    await own.createTopics()
    ingestor = own.start('ingestor', { source: mainnet })
    ledger = own.start('projector', { group: 'ledger' })
    state = own.start('projector', { group: 'state' })
    api = own.start('api')
    for (const service of [ingestor, ledger, state, api]) await untilReasons(service)
    await until('the page is there', async () => (await api.get(page)).status === 200)
  })
  afterAll(async () => {
    endAll()
    await own?.drop().catch(() => {})
    if (found.form !== 'none') await found.stack.stop()
  })

  it('Redis: the api stays ready, and answers', async () => {
    await stack.redis.pause()
    expect(await reasonsOf(api)).toEqual([])
    expect((await api.get(page)).status).toBe(200)
    await stack.redis.resume()
  })

  it('Redis: an api that starts removes what was announced in another log', async () => {
    const { FOLDSCAN_REDIS_PREFIX: prefix = '' } = own.environment
    const { url } = stack.redis.address
    const redis = new Redis(url)
    const deployment = (await redis.get(`${prefix}deployment`)) ?? ''
    redis.disconnect()
    const metrics = startMetrics()
    const cache = redisCache({ url, prefix, deployment, log: silentLog, metrics })
    expect(await cache.connected(10_000)).toBe(true)
    const left = { bytes: Buffer.from('left'), position: 1 }
    await cache.set([consumedUpTo(1_000_000), ['left', left]])
    expect(await cache.get(['left'])).toEqual([left])
    const second = own.start('api')
    await untilReasons(second)
    expect(await cache.get(['left'])).toEqual([undefined])
    await cache.close()
    second.kill('SIGTERM')
    expect(await second.exited).toMatchObject({ code: 0 })
  })

  it('Kafka: the api stays ready and answers, the others say so and come back', async () => {
    await stack.kafka.pause()
    for (const service of [ingestor, ledger, state])
      await untilReasons(service, ['kafka-unavailable'])
    expect(await reasonsOf(api)).toEqual([])
    expect((await api.get(page)).status).toBe(200)
    await stack.kafka.resume()
    for (const service of [ingestor, ledger, state]) await untilReasons(service)
  })

  it('ClickHouse: projectors say so and come back', async () => {
    await stack.clickhouse.kill()
    for (const service of [ledger, state]) await untilReasons(service, ['clickhouse-unavailable'])
    expect(await reasonsOf(api)).toEqual([])
    await stack.clickhouse.restart()
    for (const service of [ledger, state]) await untilReasons(service)
    // Known pages answer all the time, and the api asks ClickHouse again only after a pause.
    await until('a page of ClickHouse is there', async () => (await api.get(cold())).status === 200)
  })

  it('ClickHouse hangs: known pages are answered, others refused at once until it goes on', async () => {
    // What is announced later moves the page.
    await until('all blocks are told', async () => {
      return (await api.get(page)).headers.get('x-indexed-block') === lastBlock
    })
    for (const path of [page, cold()]) expect((await api.get(path)).status).toBe(200)
    const warmed = steadyAsks(api, 50, () => page)
    const others = steadyAsks(api, 1_000 / 60, cold)
    const all = [ledger, state, api]
    const awayBefore = all.map((service) => saidBy(service, events.clickhouse.unavailable).length)
    await stack.clickhouse.pause()
    await until('a page is refused', async () => (await api.get(cold())).status === 503)
    for (const [at, service] of all.entries()) {
      const times = awayBefore[at] ?? 0
      await until('it says so', () => saidBy(service, events.clickhouse.unavailable).length > times)
      const said = saidBy(service, events.clickhouse.unavailable).at(-1)?.msg
      expect(said).toContain(`ClickHouse at ${stack.clickhouse.address.url} did not answer within`)
    }
    for (const service of [ledger, state]) await untilReasons(service, ['clickhouse-unavailable'])
    const refused = () => others.answered.filter(({ status }) => status === 503).length
    const before = refused()
    await until('300 are refused', () => refused() > before + 300)
    const lag = await own.run('lag')
    expect(lag).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `ClickHouse at ${stack.clickhouse.address.url} did not answer`,
      ),
    })
    await stack.clickhouse.resume()
    await until('a page that nobody knows is there', async () => {
      return (await api.get(cold())).status === 200
    })
    const [known, unknown] = await Promise.all([warmed.stop(), others.stop()])
    expect(known.filter(({ status }) => status !== 200)).toEqual([])
    expect(unknown.filter(({ status }) => status !== 200 && status !== 503)).toEqual([])
    // Nobody waited for the end of a query's own time.
    expect(JSON.stringify(api.lines)).not.toMatch(/did not answer within \d{5} ms/)
    await api.logged(events.clickhouse.available)
    for (const service of [ledger, state]) await untilReasons(service)
  })

  it('Kafka: all stop within 10 s all the same, with exit code 0', async () => {
    await stack.kafka.pause()
    const asked = Date.now()
    for (const service of [ingestor, ledger, state, api]) service.kill('SIGTERM')
    for (const service of [ingestor, ledger, state, api]) {
      expect(await service.exited).toMatchObject({ code: 0, stderr: '' })
    }
    const tookMs = Date.now() - asked
    expect(tookMs).toBeLessThan(await boundMs(...stopping))
    await stack.kafka.resume()
  })
})
