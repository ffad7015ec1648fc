import kafkajs from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { events } from '../../libs/signals/events.ts'
import { topicSpecs } from '../../services/cli/serve/servers/open-kafka.ts'
import { asked } from '../services/own-services.ts'
import { cluster, ownPlace } from '../support/cluster.ts'
import { dropTestDatabase } from '../support/engine.ts'
import { createTopics } from '../support/kafka-for-tests.ts'
import { projectorOf } from '../support/projector-of.ts'
import { until } from '../support/until.ts'
import { type ReleaseOnServers, releaseName, releaseOnServers } from './release-on-servers.ts'
import type { Ended } from './running-pod.ts'

const place = ownPlace()
/** Of nobody. Addresses of this machine may be logged as they are, those of others may not. */
const nodeUrl = 'http://node.invalid:8545/'
const ledger = `${releaseName}-${projectorOf('ledger')}`

/** Its last line: of a job a sentence, of a service a line of level `fatal`. @throws on others */
function refusalOf({ code, log }: Ended): string {
  expect(code, log).toBe(1)
  const last = log.trimEnd().split('\n').at(-1) ?? ''
  const sentence = last.startsWith('{') ? fatal.parse(JSON.parse(last)).msg : last
  expect(sentence).toMatch(/^[^\n]+(\.|; see deploy\/runbooks\/[a-z-]+\.md)\.?$/)
  return sentence
}
const fatal = z.looseObject({ level: z.literal('fatal'), msg: z.string() })

describe('a release with bad input', () => {
  let own: ReleaseOnServers

  beforeAll(async () => {
    own = await releaseOnServers(server())
    const jobs = await own.release.runJobs(own.values)
    expect(jobs.map(({ code }) => code)).toEqual([0, 0])
  })
  afterAll(async () => {
    await own?.release.drop()
    await dropTestDatabase(cluster().clickhouse, place.database)
  })

  const withSettings = (settings: object) => ({
    ...own.values,
    settings: { ...own.values.settings, ...settings },
  })
  /** Another release on the same servers, for one start. */
  async function startWith(
    secrets: Record<string, string | null>,
    workload: string,
  ): Promise<Ended> {
    const other = await releaseOnServers(server(), secrets)
    const pod = await other.release.startPodOf(`${releaseName}-${workload}`, other.values)
    const ended = await pod.ended
    await other.release.drop()
    return ended
  }

  it('is refused by the hook with another chain than that of the tables', async () => {
    const [topics, migrations] = await own.release.runJobs(withSettings({ chainId: 5 }))
    expect(topics?.code).toBe(0)
    expect(refusalOf(migrations ?? noEnd)).toContain(
      'The tables are of chain 31337, not of chain 5: ',
    )
  })

  it('is refused at start with a chain that the topics do not have', async () => {
    const prefix = `${place.topicPrefix}foreign.`
    await createTopics(cluster().kafka.brokers, topicSpecs({ prefix, replicationFactor: 1 }))
    await publishBlockOf('5', `${prefix}blocks`)
    for (const workload of ['api', projectorOf('ledger'), projectorOf('dimensions')]) {
      const values = withSettings({ kafkaTopicPrefix: prefix })
      const pod = await own.release.startPodOf(`${releaseName}-${workload}`, values)
      expect(refusalOf(await pod.ended)).toContain('holds chain 5, the tables are of chain 31337')
    }
  })

  it('is refused with an empty secret, by the name of its setting', async () => {
    const empty = { 'clickhouse-password': '', 'clickhouse-read-password': '', source: '' }
    expect(refusalOf(await startWith(empty, projectorOf('ledger')))).toContain(
      'CLICKHOUSE_PASSWORD',
    )
    expect(refusalOf(await startWith(empty, 'api'))).toContain('CLICKHOUSE_READ_PASSWORD')
    expect(refusalOf(await startWith(empty, 'ingestor'))).toContain('SOURCE')
  })

  it('is refused with a wrong password, which it does not say', async () => {
    const wrong = { 'kafka-password': 'hunter2', 'clickhouse-read-password': 'hunter3' }
    for (const workload of [projectorOf('ledger'), 'api']) {
      const ended = await startWith(wrong, workload)
      expect(refusalOf(ended)).toContain('PASSWORD')
      expect(ended.log).not.toMatch(/hunter[23]/)
    }
  })

  it('is not started without a key of its Secret', async () => {
    await expect(startWith({ 'kafka-password': null }, 'api')).rejects.toThrow(
      'Secret demo-secrets has no key kafka-password',
    )
  })

  it('waits for a node that is away, without its key in the log', async () => {
    const pod = await own.release.startPodOf(`${releaseName}-ingestor`, own.values)
    await pod.ready
    await until('it names the node', async () => (await pod.log()).includes('http://node.invalid'))
    const log = await pod.log()
    expect(own.canaries.filter((canary) => log.includes(canary))).toEqual([])
    expect(await pod.end()).toMatchObject({ code: 0 })
  })

  it('is refused on a volume that another pod has, and has it after that one', async () => {
    const first = await own.release.startPodOf(ledger, own.values)
    await first.ready
    await until('it has begun', async () => (await first.log()).includes(events.service.running))
    const second = await own.release.startPodOf(ledger, own.values)
    expect(refusalOf(await second.ended)).toContain('is open in another container')
    expect(await first.end()).toMatchObject({ code: 0 })
    const third = await own.release.startPodOf(ledger, own.values)
    await until('it has begun', async () => (await third.log()).includes(events.service.running))
    expect(await third.end()).toMatchObject({ code: 0 })
  })

  it('is refused by tables of another form', async () => {
    await asked(
      cluster(),
      `ALTER TABLE ${place.database}.prices MODIFY COLUMN price Nullable(String)`,
    )
    const [, migrations] = await own.release.runJobs(own.values)
    expect(refusalOf(migrations ?? noEnd)).toContain('column prices.price is of type')
    for (const workload of ['api', projectorOf('state')]) {
      const pod = await own.release.startPodOf(`${releaseName}-${workload}`, own.values)
      expect(refusalOf(await pod.ended)).toContain('column prices.price is of type')
    }
  })
})

const noEnd: Ended = { code: -1, log: 'no job', isKilled: false }
const server = () => ({ servers: cluster(), place, nodeUrl })

async function publishBlockOf(chainId: string, topic: string): Promise<void> {
  const client = new kafkajs.Kafka({
    brokers: [...cluster().kafka.brokers],
    logLevel: kafkajs.logLevel.NOTHING,
  })
  const producer = client.producer()
  await producer.connect()
  await producer.send({ topic, messages: [{ key: chainId, value: '{}' }] })
  await producer.disconnect()
}
