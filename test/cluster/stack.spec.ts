import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { redisAnswers } from '../../deploy/stack/redis.ts'
import { queryEngine } from '../../libs/adapters/clickhouse/query-engine.ts'
import { noCluster } from '../support/cluster.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'
import { brokersSeenWith, endOf, madeTopic, produce, produceOnce } from './kafka-commands.ts'

/** A stack of its own, to be hurt. In the form that is there: containers or processes. */
describe.skipIf(noCluster)('a stack of real servers', () => {
  let own: Exclude<TestStack, { form: 'none' }>['stack']

  beforeAll(async () => {
    const started = await startTestStack()
    if (started.form === 'none') throw new Error(started.reason)
    own = started.stack
    await madeTopic(own.kafka.address, 'kept')
    await queryEngine(own.clickhouse.address, 'CREATE DATABASE test_kept ENGINE = Atomic')
    const columns = 'test_kept.kept (x UInt64) ENGINE = MergeTree ORDER BY x'
    await queryEngine(own.clickhouse.address, `CREATE TABLE ${columns}`)
  })

  afterAll(() => own?.stop())

  it('keeps acknowledged messages over a SIGKILL of the broker', async () => {
    const { address } = own.kafka
    await produce(address, 'kept', ['one', 'two'])
    await own.kafka.kill()
    await expect(produceOnce(address, 'kept', ['lost'])).rejects.toThrow('ECONNREFUSED')
    await own.kafka.restart()
    expect(await endOf(address, 'kept')).toBe(2)
    await produce(address, 'kept', ['three'])
    expect(await endOf(address, 'kept')).toBe(3)
  })

  it('keeps acknowledged messages over a stop in order', async () => {
    const before = await endOf(own.kafka.address, 'kept')
    await own.kafka.stop()
    await own.kafka.restart()
    expect(await endOf(own.kafka.address, 'kept')).toBe(before)
  })

  it('makes no topic that nobody asked for', async () => {
    await expect(produceOnce(own.kafka.address, 'never-made', ['one'])).rejects.toThrow(
      'does not host this topic',
    )
  })

  it('refuses a wrong password of the broker and accepts the right one', async () => {
    const { address } = own.kafka
    expect(await brokersSeenWith(address, address.password)).toBe(1)
    await expect(brokersSeenWith(address, 'wrong')).rejects.toThrow(/SASL|[Aa]uthentication/)
  })

  it('keeps acknowledged rows over a SIGKILL of ClickHouse', async () => {
    const { address } = own.clickhouse
    await queryEngine(address, 'INSERT INTO test_kept.kept SELECT number FROM numbers(1000)')
    await own.clickhouse.kill()
    await expect(queryEngine(address, 'SELECT 1')).rejects.toThrow()
    await own.clickhouse.restart()
    expect(await queryEngine(address, 'SELECT count() FROM test_kept.kept')).toBe('1000\n')
  })

  it('has a reader who may only select, and change no setting', async () => {
    const reader = { ...own.clickhouse.address, ...own.clickhouse.address.reader }
    await queryEngine(reader, 'SELECT count() FROM test_kept.kept')
    const denied = /ACCESS_DENIED|READONLY/
    await expect(queryEngine(reader, 'INSERT INTO test_kept.kept VALUES (1)')).rejects.toThrow(
      denied,
    )
    const threads = 'SELECT 1 SETTINGS max_threads = 4'
    await expect(queryEngine(reader, threads)).rejects.toThrow(/READONLY/)
  })

  it('lets nobody into ClickHouse without the right name and password', async () => {
    const { address } = own.clickhouse
    const failed = /Authentication failed/
    await expect(queryEngine({ ...address, password: 'wrong' }, 'SELECT 1')).rejects.toThrow(failed)
    const asDefault = { ...address, username: 'default', password: '' }
    await expect(queryEngine(asDefault, 'SELECT 1')).rejects.toThrow(failed)
  })

  it('comes back with an empty Redis, the same password and the same port', async () => {
    const { address } = own.redis
    const before = new Redis(address.url)
    before.on('error', () => {})
    await before.set('key', 'value')
    await own.redis.kill()
    before.disconnect()
    await expect(redisAnswers(address)).rejects.toThrow()
    await own.redis.restart()
    const after = new Redis(address.url)
    expect(await after.get('key')).toBeNull()
    expect(await after.config('GET', 'maxmemory-policy')).toContain('allkeys-lru')
    after.disconnect()
    await expect(redisAnswers({ ...address, password: 'wrong' })).rejects.toThrow()
  })

  it('answers nothing while its clock stands still, and goes on after that', async () => {
    const { address } = own.redis
    await own.redis.pause()
    await expect(redisAnswers(address)).rejects.toThrow()
    await own.redis.resume()
    await redisAnswers(address)
  })
})
