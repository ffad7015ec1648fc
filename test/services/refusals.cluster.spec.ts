import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import kafkajs, { Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { groupId } from '../../libs/tables/declare/group-versions.ts'
import { lockFolder } from '../../services/cli/process/folder-lock.ts'
import { topicSpecs } from '../../services/cli/serve/servers/open-kafka.ts'
import { cluster, noCluster, type OwnPlace, ownPlace } from '../support/cluster.ts'
import { createTopics } from '../support/kafka-for-tests.ts'
import { until } from '../support/until.ts'
import { endAll, freshFolder, mainnet, type Running } from '../up/running.ts'
import { asked, type OwnServices, ownServices, untilReasons } from './own-services.ts'

const chainId = '7'
const unreached = 'http://127.0.0.1:1'

describe.skipIf(noCluster)('a service on the wrong servers', () => {
  let place: OwnPlace
  let own: OwnServices

  beforeAll(async () => {
    place = ownPlace()
    own = ownServices(cluster(), place)
    expect(await own.run('migrate', { 'chain-id': chainId })).toMatchObject({ code: 0 })
    await own.createTopics()
  })
  afterAll(async () => {
    endAll()
    await own.drop()
  })

  /** One sentence in the fatal line that ends the log, exit code 1. */
  async function refusal(service: Running): Promise<string> {
    const { code, reason } = await service.exited
    expect(code, reason).toBe(1)
    expect(reason).toMatch(/^[^\n]+[.]$/)
    return reason
  }

  const projector = (flags: Record<string, string> = {}, environment = {}) =>
    own.start('projector', { group: 'ledger', 'data-dir': freshFolder(), ...flags }, environment)

  it('is refused with the password of nobody, which it does not say', async () => {
    const password = { FOLDSCAN_CLICKHOUSE_PASSWORD: 'hunter2' }
    const reason = await refusal(projector({}, password))
    expect(reason).toContain('rejects the user')
    expect(reason).toContain('FOLDSCAN_CLICKHOUSE_PASSWORD')
    expect(reason).not.toContain('hunter2')
  })

  it('is refused as the api with a wrong password, by the name of its own setting', async () => {
    const wrong = { FOLDSCAN_CLICKHOUSE_READ_PASSWORD: 'hunter2' }
    expect(await refusal(own.start('api', {}, wrong))).toContain(
      'FOLDSCAN_CLICKHOUSE_READ_PASSWORD',
    )
  })

  it('takes the password from a file', async () => {
    const file = join(freshFolder(), 'password')
    writeFileSync(file, `${cluster().clickhouse.password}\n`)
    const secret = { FOLDSCAN_CLICKHOUSE_PASSWORD: '', FOLDSCAN_CLICKHOUSE_PASSWORD_FILE: file }
    const service = projector({}, secret)
    await untilReasons(service)
    service.kill('SIGTERM')
    expect(await service.exited).toMatchObject({ code: 0 })
  })

  it('is refused where ClickHouse speaks no TLS', async () => {
    const url = cluster().clickhouse.url.replace('http:', 'https:')
    expect(await refusal(projector({ 'clickhouse-url': url }))).toContain('http://')
  })

  it('is refused with an address of ClickHouse that has a path', async () => {
    const url = `${cluster().clickhouse.url}/foldscan`
    expect(await refusal(projector({ 'clickhouse-url': url }))).toContain('http://host:port')
  })

  it('is refused with a password that Kafka does not know', async () => {
    const { saslBrokers, username } = cluster().kafka
    const flags = {
      'kafka-brokers': saslBrokers.join(','),
      'kafka-sasl-mechanism': 'plain',
      'kafka-user': username,
    }
    const reason = await refusal(projector(flags, { FOLDSCAN_KAFKA_PASSWORD: 'hunter2' }))
    expect(reason).toContain('FOLDSCAN_KAFKA_PASSWORD')
    expect(reason).not.toContain('hunter2')
  })

  it('works with a password that Kafka knows', async () => {
    const { saslBrokers, username, password } = cluster().kafka
    const flags = {
      'kafka-brokers': saslBrokers.join(','),
      'kafka-sasl-mechanism': 'plain',
      'kafka-user': username,
      source: unreached,
    }
    const service = own.start('enricher', flags, { FOLDSCAN_KAFKA_PASSWORD: password })
    await untilReasons(service, ['node-unavailable'])
    service.kill('SIGTERM')
    expect(await service.exited).toMatchObject({ code: 0, stderr: '' })
  })

  it('is refused by tables of another chain', async () => {
    const reason = await refusal(projector({ 'chain-id': '5' }))
    expect(reason).toContain('The tables are of chain 7, not of chain 5')
    expect(await refusal(own.start('migrate', { 'chain-id': '5' }))).toContain('of chain 7')
  })

  it('makes nothing beside tables of another chain', async () => {
    const { database } = place
    const inDatabase = (sql: string) => asked(cluster(), sql.replaceAll('IN.', `${database}.`))
    const views = `SELECT count() FROM system.tables WHERE database = '${database}' AND name LIKE 'readable_%'`
    const made = Number(await inDatabase(views))
    expect(made).toBeGreaterThan(0)
    for (const name of (await inDatabase(views.replace('count()', 'name'))).trim().split('\n')) {
      await inDatabase(`DROP VIEW IN.${name}`)
    }
    expect(await refusal(own.start('migrate', { 'chain-id': '5' }))).toContain('of chain 7')
    expect(Number(await inDatabase(views))).toBe(0)
    expect(await own.run('migrate', { 'chain-id': chainId })).toMatchObject({ code: 0 })
    expect(Number(await inDatabase(views))).toBe(made)
  })

  it('is refused by the Redis of another deployment', async () => {
    const redis = new Redis(cluster().redis.url)
    const prefix = `${place.redisPrefix}other:`
    await redis.set(`${prefix}deployment`, 'somebody-else')
    redis.disconnect()
    const reason = await refusal(own.start('api', { 'redis-prefix': prefix }))
    expect(reason).toContain('another deployment')
  })

  it('is refused by a volume of another deployment', async () => {
    const folder = freshFolder()
    const first = projector({ 'data-dir': folder })
    await untilReasons(first)
    first.kill('SIGTERM')
    await first.exited
    writeFileSync(
      join(folder, `projector-${groupId('ledger')}`, 'owner'),
      'deployment somebody-else\n',
    )
    const reason = await refusal(projector({ 'data-dir': folder }))
    expect(reason).toContain('belongs to deployment somebody-else')
  })

  it('is refused by a demo chain that another one mines', async () => {
    const folder = freshFolder()
    mkdirSync(join(folder, 'demo'))
    const free = lockFolder(join(folder, 'demo'))
    const reason = await refusal(own.start('ingestor', { source: 'demo', 'data-dir': folder }))
    expect(reason).toContain(`${join(folder, 'demo')} is used by another Foldscan`)
    free()
  })

  it('does not publish a block of another chain than that of the tables', async () => {
    const prefix = `${place.topicPrefix}new.`
    await createTopics(cluster().kafka.brokers, topicSpecs({ prefix, replicationFactor: 1 }))
    const flags = { 'kafka-topic-prefix': prefix, 'data-dir': freshFolder(), source: mainnet }
    const ofTables = `The source is of chain 1, the tables of database ${place.database} are of chain 7`
    expect(await refusal(own.start('ingestor', flags))).toContain(ofTables)
    expect(await refusal(own.start('repair', { ...flags, from: '1' }))).toContain(ofTables)
    const asked = { ...flags, 'chain-id': '7' }
    expect(await refusal(own.start('ingestor', asked))).toContain('--chain-id is of chain 7')
    expect(await messagesIn(`${prefix}blocks`)).toBe(0)
  })

  it('publishes nothing into an empty topic while no table records its chain', async () => {
    const prefix = `${place.topicPrefix}unclaimed.`
    await createTopics(cluster().kafka.brokers, topicSpecs({ prefix, replicationFactor: 1 }))
    const unclaimed = { 'clickhouse-database': `${place.database}_unclaimed` }
    const flags = { 'kafka-topic-prefix': prefix, source: mainnet, ...unclaimed }
    const waiting = own.start('ingestor', { ...flags, 'data-dir': freshFolder() })
    await untilReasons(waiting, ['no-tables'])
    expect(await messagesIn(`${prefix}blocks`)).toBe(0)
    waiting.kill('SIGTERM')
    await waiting.exited
    const repair = own.start('repair', { ...flags, from: '1', 'data-dir': freshFolder() })
    expect(await refusal(repair)).toContain('name the chain with --chain-id')
    const named = { ...flags, 'chain-id': '1', 'data-dir': freshFolder() }
    const ingestor = own.start('ingestor', named)
    await until('it publishes', async () => (await messagesIn(`${prefix}blocks`)) > 0)
    ingestor.kill('SIGTERM')
    expect(await ingestor.exited).toMatchObject({ code: 0 })
  })

  it('is refused without a source: the demo chain belongs to no server', async () => {
    const reason = await refusal(own.start('ingestor', { 'data-dir': freshFolder() }))
    expect(reason).toBe('Name the node: --source URL. The demo chain is --source demo.')
  })

  it('is refused by topics that would lose the order or the messages', async () => {
    const prefix = `${place.topicPrefix}wrong.`
    await made(prefix, [
      { topic: 'blocks', numPartitions: 2 },
      { topic: 'changes', numPartitions: 1 },
    ])
    expect(await refusal(projector({ 'kafka-topic-prefix': prefix }))).toContain('2 partitions')
    const compacted = `${place.topicPrefix}compacted.`
    const configEntries = [{ name: 'cleanup.policy', value: 'compact' }]
    await made(compacted, [
      { topic: 'blocks', numPartitions: 1, configEntries },
      { topic: 'changes', numPartitions: 1 },
    ])
    const reason = await refusal(projector({ 'kafka-topic-prefix': compacted }))
    expect(reason).toContain('blocks has cleanup.policy=compact and needs delete')
  })

  it('is refused by topics on one broker, unless a setting allows that loss', async () => {
    const two = { 'kafka-replication-factor': '2' }
    const ofSetting = /^--kafka-replication-factor is 2, but topics have only 1 \(/
    expect(await refusal(projector(two))).toMatch(ofSetting)
    expect(await refusal(own.start('api', two))).toMatch(ofSetting)
    expect(await refusal(own.start('enricher', { ...two, source: unreached }))).toMatch(ofSetting)
    expect(await refusal(own.start('topics check', two))).toMatch(ofSetting)
    const prefix = `${place.topicPrefix}few.`
    const reason = await refusal(
      own.start('topics create', { ...two, 'kafka-topic-prefix': prefix }),
    )
    expect(reason).toMatch(/^--kafka-replication-factor is 2, but only 1 of the brokers is there: /)
    const admin = client().admin()
    await admin.connect()
    const names = await admin.listTopics()
    await admin.disconnect()
    expect(names.filter((name) => name.startsWith(prefix))).toEqual([])
  })

  it('is refused by a topic whose leader may lack what was acknowledged', async () => {
    const prefix = `${place.topicPrefix}unclean.`
    await createTopics(
      cluster().kafka.brokers,
      topicSpecs({ prefix, replicationFactor: 1, names: ['blocks', 'changes'] }),
    )
    const admin = client().admin()
    await admin.connect()
    await admin.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: kafkajs.ConfigResourceTypes.TOPIC,
          name: `${prefix}blocks`,
          configEntries: [{ name: 'unclean.leader.election.enable', value: 'true' }],
        },
      ],
    })
    await admin.disconnect()
    const reason = await refusal(projector({ 'kafka-topic-prefix': prefix }))
    expect(reason).toContain('unclean.leader.election.enable=true and needs false: ')
  })

  it('is refused by a topic of another chain', async () => {
    const prefix = `${place.topicPrefix}foreign.`
    await createTopics(cluster().kafka.brokers, topicSpecs({ prefix, replicationFactor: 1 }))
    const producer = client().producer()
    await producer.connect()
    await producer.send({ topic: `${prefix}blocks`, messages: [{ key: '5', value: '{}' }] })
    await producer.disconnect()
    const flags = { 'kafka-topic-prefix': prefix }
    const dimensions = { ...flags, group: 'dimensions' }
    for (const service of [projector(flags), projector(dimensions), own.start('api', flags)]) {
      expect(await refusal(service)).toContain('holds chain 5, the tables are of chain 7')
    }
  })

  it('is refused by the first block of another chain that comes after its start', async () => {
    const prefix = `${place.topicPrefix}late.`
    await createTopics(cluster().kafka.brokers, topicSpecs({ prefix, replicationFactor: 1 }))
    const service = own.start('api', { 'kafka-topic-prefix': prefix })
    await untilReasons(service)
    const producer = client().producer()
    await producer.connect()
    await producer.send({ topic: `${prefix}blocks`, messages: [{ key: '5', value: '{}' }] })
    await producer.send({ topic: `${prefix}changes`, messages: [{ key: 'ledger', value: '{}' }] })
    await producer.disconnect()
    expect(await refusal(service)).toContain('holds chain 5, the tables are of chain 7')
  })

  it.each([
    ['clickhouse-unavailable', { 'clickhouse-url': 'http://127.0.0.1:9' }],
    ['kafka-unavailable', { 'kafka-brokers': '127.0.0.1:9' }],
  ])('waits while it is only %s', async (reason, flags) => {
    const service = projector(flags)
    await untilReasons(service, [reason])
    service.kill('SIGTERM')
    expect(await service.exited).toMatchObject({ code: 0, stderr: '' })
  })

  it('waits as an ingestor while the node is away', async () => {
    const flags = { source: 'http://127.0.0.1:9999', 'data-dir': freshFolder() }
    const service = own.start('ingestor', flags)
    await untilReasons(service, ['node-unavailable'])
    service.kill('SIGTERM')
    expect(await service.exited).toMatchObject({ code: 0, stderr: '' })
  })

  it('is refused by tables of another form', async () => {
    const { database } = place
    await asked(cluster(), `ALTER TABLE ${database}.prices MODIFY COLUMN price Nullable(String)`)
    for (const service of [projector(), own.start('api'), own.start('migrate')]) {
      expect(await refusal(service)).toContain('column prices.price is of type Nullable(String)')
    }
  })
})

const client = () =>
  new Kafka({ brokers: [...cluster().kafka.brokers], logLevel: logLevel.NOTHING })

async function messagesIn(topic: string): Promise<number> {
  const admin = client().admin()
  await admin.connect()
  const [partition] = await admin.fetchTopicOffsets(topic)
  await admin.disconnect()
  return Number(partition?.high)
}

type Made = Parameters<ReturnType<Kafka['admin']>['createTopics']>[0]['topics']

async function made(prefix: string, topics: Made): Promise<void> {
  const admin = client().admin()
  await admin.connect()
  await admin.createTopics({
    waitForLeaders: true,
    topics: topics.map((topic) => ({ ...topic, topic: prefix + topic.topic })),
  })
  await admin.disconnect()
}
