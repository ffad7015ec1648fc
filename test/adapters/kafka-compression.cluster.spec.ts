import kafkajs, { CompressionTypes, Kafka, logLevel } from 'kafkajs'
import { describe, expect, it } from 'vitest'
import { cluster, noCluster } from '../support/cluster.ts'
import { freshTopics, logAt } from '../support/kafka-for-tests.ts'

const text = 'a fact that somebody else published, '.repeat(20)

/** Snappy as everybody may write it: the length, then one literal of all bytes (below 64 KiB). */
function literal(bytes: Buffer): Buffer {
  const length = bytes.length
  const varint = [(length & 0x7f) | 0x80, (length >> 7) & 0x7f]
  const tag = [61 << 2, (length - 1) & 0xff, (length - 1) >> 8]
  return Buffer.concat([Buffer.from([...varint, ...tag]), bytes])
}

describe.skipIf(noCluster)('a topic that others publish on', () => {
  it('is stored so that it can be read, though they compress with snappy', async () => {
    const { brokers } = cluster().kafka
    const prefix = await freshTopics(brokers, ['token-facts'])
    kafkajs.CompressionCodecs[CompressionTypes.Snappy] = () => ({
      compress: async ({ buffer }: { buffer: Buffer }) => literal(buffer),
      decompress: async () => Promise.reject(new Error('snappy came back')),
    })
    const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING })
    const producer = kafka.producer()
    await producer.connect()
    await producer.send({
      topic: `${prefix}token-facts`,
      compression: CompressionTypes.Snappy,
      messages: [{ key: 'theirs', value: text }],
    })
    await producer.disconnect()
    const eventLog = logAt(brokers, { topicPrefix: prefix })
    const [message] = await eventLog.read('token-facts', 0, { messagesMax: 1, bytesMax: 1_000 })
    await eventLog.close()
    expect(message).toMatchObject({ key: 'theirs' })
    expect(Buffer.from(message?.value ?? []).toString()).toBe(text)
  })
})
