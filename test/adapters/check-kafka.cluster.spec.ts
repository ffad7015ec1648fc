import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { checkKafka, KafkaConfigError } from '../../libs/adapters/kafka/check-kafka.ts'
import type { KafkaConnection } from '../../libs/adapters/kafka/kafka-client.ts'
import { kafkaEventLog } from '../../libs/adapters/kafka/kafka-event-log.ts'
import { topicAdmin } from '../../libs/adapters/kafka/topic-admin.ts'
import { LogUnavailable } from '../../libs/ports/event-log.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { cluster, noCluster } from '../support/cluster.ts'
import { freshTopics, placeOf, plainTopic, withAdmin } from '../support/kafka-for-tests.ts'
import { rewritingProxy } from '../support/rewriting-proxy.ts'

const limits = { connectTimeoutMs: 1_000, requestTimeoutMs: 2_000, callTimeoutMs: 4_000 }

async function whyNot(place: Partial<KafkaConnection>): Promise<unknown> {
  try {
    await checkKafka({ place: { ...placeOf([]), ...place }, log: silentLog, limits })
    return null
  } catch (error) {
    return error
  }
}

const own = () => cluster().kafka
const credentials = (changed: object = {}) => {
  const { username, password } = own()
  return { mechanism: 'plain' as const, username, password, ...changed }
}

describe.skipIf(noCluster)('a service that checks Kafka at its start', () => {
  test('is let in by the open door, and by the other with the right words', async () => {
    expect(await whyNot({ brokers: own().brokers })).toBeNull()
    expect(await whyNot({ brokers: own().saslBrokers, sasl: credentials() })).toBeNull()
  })

  test('waits where no broker responds, and logs why', async () => {
    const refused = await whyNot({ brokers: ['127.0.0.1:1'] })
    expect(refused).toBeInstanceOf(LogUnavailable)
    expect(refused).toMatchObject({
      message: 'Kafka at 127.0.0.1:1 cannot be reached: nothing listens there',
    })
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const address = silent.address()
    const port = typeof address === 'object' ? address?.port : 0
    expect(await whyNot({ brokers: [`127.0.0.1:${port}`] })).toBeInstanceOf(LogUnavailable)
    silent.close()
  })

  test.each<[string, () => Partial<KafkaConnection>, RegExp]>([
    [
      'a wrong password',
      () => ({ brokers: own().saslBrokers, sasl: credentials({ password: 'guessed' }) }),
      /refuses user \S+ by plain \(.*\): check --kafka-user, FOLDSCAN_KAFKA_PASSWORD/,
    ],
    [
      'another mechanism',
      () => ({ brokers: own().saslBrokers, sasl: credentials({ mechanism: 'scram-sha-256' }) }),
      /does not take scram-sha-256 users there \(UNSUPPORTED_SASL_MECHANISM\)/,
    ],
    [
      'words where none are asked for',
      () => ({ brokers: own().brokers, sasl: credentials() }),
      /does not take plain users there \(ILLEGAL_SASL_STATE\)/,
    ],
    [
      'no words where they are asked for',
      () => ({ brokers: own().saslBrokers }),
      /closes unauthenticated connections: set --kafka-sasl-mechanism/,
    ],
    [
      'TLS where there is none',
      () => ({ brokers: own().brokers, tls: { ca: null } }),
      /does not use TLS: remove --kafka-tls/,
    ],
  ])('is refused with %s, in one sentence', async (_what, place, sentence) => {
    const reason = await whyNot(place())
    expect(reason).toBeInstanceOf(KafkaConfigError)
    expect(String(reason)).toMatch(sentence)
    expect(String(reason)).not.toContain(own().password)
    expect(String(reason)).not.toContain('guessed')
  })

  test('reports an advertised address that cannot be reached', async () => {
    const port = Number(own().brokers[0]?.split(':')[1])
    const proxy = await rewritingProxy(port, 1)
    const reason = await whyNot({ brokers: [`127.0.0.1:${proxy.port}`] })
    expect(reason).toBeInstanceOf(KafkaConfigError)
    expect(String(reason)).toContain(
      `Kafka at 127.0.0.1:${proxy.port} answers, and advertises 127.0.0.1:1, which cannot be ` +
        'reached from here (nothing listens there): set advertised.listeners',
    )
    await proxy.close()
  })

  test('ends its log where its words are not taken any more', async () => {
    const topicPrefix = await freshTopics(own().brokers, ['a'])
    const place = {
      ...placeOf(own().saslBrokers),
      sasl: credentials({ password: 'taken back' }),
    }
    const eventLog = kafkaEventLog({ place, log: silentLog, topicPrefix, compacted: [] })
    const waiting = eventLog.waitBeyond('a', 0, new AbortController().signal)
    await expect(waiting).rejects.toThrow(/^reading topic \S+ failed: .*authentication failed/i)
    expect(await eventLog.failed).toBeInstanceOf(Error)
    await expect(eventLog.append('a', [])).resolves.toEqual([])
    const append = eventLog.append('a', [{ key: 'k', value: Buffer.from('x') }])
    await expect(append).rejects.not.toBeInstanceOf(LogUnavailable)
    await eventLog.close()
  })
})

describe.skipIf(noCluster)('topics on Kafka', () => {
  test('are created once, with their settings, and found well', async () => {
    const { brokers } = own()
    const prefix = await freshTopics(brokers, [])
    const admin = await topicAdmin({ place: placeOf(brokers), log: silentLog })
    const wanted = [
      plainTopic(`${prefix}blocks`),
      { ...plainTopic(`${prefix}facts`), isCompacted: true },
      { ...plainTopic(`${prefix}changes`), retentionMs: 7 * 86_400_000 },
    ]
    expect(await admin.faults(wanted)).toEqual(
      wanted.map(({ name }) => `topic ${name} does not exist: \`foldscan topics create\` makes it`),
    )
    expect(await admin.create(wanted)).toEqual(wanted.map(({ name }) => name))
    expect(await admin.create(wanted)).toEqual([])
    expect(await admin.faults(wanted)).toEqual([])
    const [blocks, none] = await admin.describe([`${prefix}blocks`, `${prefix}other`])
    expect(blocks).toMatchObject({ partitions: 1, replicas: 1 })
    expect(blocks?.settings['retention.ms']).toBe('-1')
    expect(none).toBeNull()
    await admin.close()
  })

  test('created with other settings are reported with the command that corrects each', async () => {
    const { brokers } = own()
    const prefix = await freshTopics(brokers, [])
    const name = `${prefix}blocks`
    const configEntries = [{ name: 'cleanup.policy', value: 'compact' }]
    await withAdmin(brokers, (admin) =>
      admin.createTopics({ topics: [{ topic: name, numPartitions: 2, configEntries }] }),
    )
    const admin = await topicAdmin({ place: placeOf(brokers), log: silentLog })
    const faults = await admin.faults([plainTopic(name)])
    await admin.close()
    expect(faults.map((fault) => fault.split(' and needs')[0])).toEqual([
      `topic ${name} has 2 partitions`,
      `topic ${name} has cleanup.policy=compact`,
      `topic ${name} has retention.ms=604800000`,
      `topic ${name} has max.message.bytes=1048588`,
      `topic ${name} has message.timestamp.type=CreateTime`,
      `topic ${name} has compression.type=producer`,
    ])
  })
})
