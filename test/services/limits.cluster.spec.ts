import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { topicAdmin } from '../../libs/adapters/kafka/topic-admin.ts'
import { events } from '../../libs/signals/events.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { topics } from '../../libs/topics/topics.ts'
import { requestsPerBatch } from '../../services/api/request/limits/client-counts.ts'
import { topicSpecs } from '../../services/cli/serve/servers/open-kafka.ts'
import { cluster, noCluster, type OwnPlace, ownPlace } from '../support/cluster.ts'
import { placeOf } from '../support/kafka-for-tests.ts'
import { until } from '../support/until.ts'
import { endAll, type Running } from '../up/running.ts'
import { type OwnServices, ownServices, untilReasons } from './own-services.ts'
import { runFoldscan } from './run-foldscan.ts'

const added = z.object({ name: z.string(), limit: z.number(), key: z.string() })
const flags = { 'limit-requests': '20', 'limit-window-seconds': '3600' }
const proxies = { 'trusted-proxies': '127.0.0.0/8' }

describe.skipIf(noCluster)('api processes with limits', () => {
  let own: OwnServices
  let apis: Running[]

  /** A request of a client behind a proxy. */
  const get = async (at: number, client: string, headers: Record<string, string> = {}) => {
    const origin = await apis[at % apis.length]?.origin()
    return fetch(`${origin}/docs`, { headers: { 'x-forwarded-for': client, ...headers } })
  }
  const keys = async (words: readonly string[]) => {
    const ended = await runFoldscan(['keys', ...words], own.environment)
    expect(ended, ended.stderr).toMatchObject({ code: 0 })
    return ended.stdout
  }

  beforeAll(async () => {
    own = ownServices(cluster(), ownPlace())
    await own.createTopics()
    expect(await own.run('migrate', { 'chain-id': '1' })).toMatchObject({ code: 0 })
    apis = [0, 1].map(() => own.start('api', { ...flags, ...proxies }, { FOLDSCAN_LIMITS: 'true' }))
    for (const at of apis.keys()) {
      await until('it answers', async () => (await get(at, `192.0.2.${at}`)).status === 200)
    }
  })

  afterAll(async () => {
    await endAll()
    await own?.drop()
  })

  it('admit the limit of a client together, and a batch each, whatever else it sends', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 30; n++) {
      const forged = `10.0.0.${n}, 198.51.100.7`
      statuses.push((await get(n, forged, { 'x-api-key': `fsk_${n}` })).status)
    }
    expect(new Set(statuses.slice(0, 20))).toEqual(new Set([200]))
    const refused = statuses.filter((status) => status === 429)
    expect(refused.length).toBeGreaterThanOrEqual(10 - apis.length * requestsPerBatch(20))
    expect((await get(0, '198.51.100.8')).status).toBe(200)
  })

  it('follow keys that are added and revoked', async () => {
    const { key } = added.parse(
      JSON.parse(await keys(['add', 'wallet', '--key-limit', '50', '--json'])),
    )
    const headers = { 'x-api-key': key }
    const limits = () =>
      Promise.all(
        apis.map(async (_, at) => {
          const response = await get(at, `203.0.113.${at}`, headers)
          return response.headers.get('x-ratelimit-limit')
        }),
      )
    await until('both know it', async () => (await limits()).join() === '50,50')
    expect(await keys(['list'])).toMatch(/^name +limit +added\nwallet +50 +20/)
    expect(await keys(['list'])).not.toContain(key)
    expect(await runFoldscan(['keys', 'add', 'wallet'], own.environment)).toMatchObject({ code: 1 })
    await keys(['revoke', 'wallet'])
    await until('neither knows it', async () => (await limits()).join() === '20,20')
    expect(await keys(['list'])).toBe('no keys\n')
  })
})

describe.skipIf(noCluster)('an api on topics that were created before API keys existed', () => {
  let place: OwnPlace
  let own: OwnServices

  beforeAll(async () => {
    place = ownPlace()
    own = ownServices(cluster(), place)
    const { brokers } = cluster().kafka
    const admin = await topicAdmin({ place: placeOf(brokers), log: silentLog })
    const names = topics.map(({ name }) => name).filter((name) => name !== 'api-keys')
    await admin.create(topicSpecs({ prefix: place.topicPrefix, replicationFactor: 1, names }))
    await admin.close()
    expect(await own.run('migrate', { 'chain-id': '1' })).toMatchObject({ code: 0 })
  })

  afterAll(async () => {
    await endAll()
    await own?.drop()
  })

  it('starts without limits', async () => {
    const api = own.start('api')
    await untilReasons(api)
    expect((await api.get('/docs')).headers.get('x-ratelimit-limit')).toBe('-1')
  })

  it('waits with limits, and names the command that creates the topic', async () => {
    const api = own.start('api', flags, { FOLDSCAN_LIMITS: 'true' })
    await untilReasons(api, ['no-topics'])
    const topic = `${place.topicPrefix}api-keys`
    const sentence = `Kafka has no topic ${topic} yet: run \`foldscan topics create\` first`
    expect((await api.get('/health/ready')).body).toMatchObject({
      reasons: [{ reason: 'no-topics', sentence }],
    })
    expect(api.lines).toContainEqual(
      expect.objectContaining({ event: events.service.waiting, msg: `waiting: ${sentence}` }),
    )
    const created = await runFoldscan(['topics', 'create'], own.environment)
    expect(created, created.stderr).toMatchObject({ code: 0, stdout: `created ${topic}\n` })
    await untilReasons(api)
    expect((await api.get('/docs')).headers.get('x-ratelimit-limit')).toBe('20')
  })
})
