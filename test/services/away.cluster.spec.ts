import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Stack } from '../../deploy/stack/stack.ts'
import { noCluster, ownPlace } from '../support/cluster.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'
import { until } from '../support/until.ts'
import { endAll, mainnet, type Running } from '../up/running.ts'
import { type OwnServices, ownServices, reasonsOf, untilReasons } from './own-services.ts'

const stopMaxMs = 10_000
const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const page = `/api/v2/tokens/${weth}/transfers`

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

  it('Kafka: the api stays ready and answers, the others say so and come back', async () => {
    await stack.kafka.pause()
    for (const service of [ingestor, ledger, state]) await untilReasons(service, ['kafka-away'])
    expect(await reasonsOf(api)).toEqual([])
    expect((await api.get(page)).status).toBe(200)
    await stack.kafka.resume()
    for (const service of [ingestor, ledger, state]) await untilReasons(service)
  })

  it('ClickHouse: projectors say so and come back', async () => {
    await stack.clickhouse.kill()
    for (const service of [ledger, state]) await untilReasons(service, ['clickhouse-away'])
    expect(await reasonsOf(api)).toEqual([])
    await stack.clickhouse.restart()
    for (const service of [ledger, state]) await untilReasons(service)
    await until('the page is there', async () => (await api.get(page)).status === 200)
  })

  it('Kafka: all stop within 10 s all the same, with exit code 0', async () => {
    await stack.kafka.pause()
    const asked = Date.now()
    for (const service of [ingestor, ledger, state, api]) service.kill('SIGTERM')
    for (const service of [ingestor, ledger, state, api]) {
      expect(await service.exited).toMatchObject({ code: 0, stderr: '' })
    }
    expect(Date.now() - asked).toBeLessThan(stopMaxMs)
    await stack.kafka.resume()
  })
})
