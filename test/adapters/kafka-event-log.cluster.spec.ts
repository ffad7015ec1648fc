import { Kafka } from 'kafkajs'
import { describe, expect, test } from 'vitest'
import type { KafkaEventLog } from '../../libs/adapters/kafka/kafka-event-log.ts'
import { type EventLog, type LogMessage, OffsetLost } from '../../libs/ports/event-log.ts'
import { cluster, noCluster } from '../support/cluster.ts'
import {
  createTopics,
  freshTopics,
  logAt,
  plainTopic,
  withAdmin,
} from '../support/kafka-for-tests.ts'
import { all, eventLogLaws, textMessage, textsOf } from './event-log-laws.ts'

const brokers = () => cluster().kafka.brokers
const forever = new AbortController().signal
const numbered = (count: number): LogMessage[] =>
  Array.from({ length: count }, (_, at) => textMessage(`${at}`))

async function withLogs(
  topics: readonly string[],
  use: (open: (group?: string) => KafkaEventLog, prefix: string) => Promise<void>,
): Promise<void> {
  const topicPrefix = await freshTopics(brokers(), topics)
  const opened: KafkaEventLog[] = []
  const open = (group?: string) => {
    const groupOf = () => (group === undefined ? null : topicPrefix + group)
    const eventLog = logAt(brokers(), { topicPrefix, groupOf })
    opened.push(eventLog)
    return eventLog
  }
  try {
    await use(open, topicPrefix)
  } finally {
    await Promise.all(opened.map((eventLog) => eventLog.close()))
  }
}

/** Reads on from `offset` up to `end`. */
async function readUpTo(eventLog: EventLog, topic: string, range: { offset: number; end: number }) {
  const offsets: number[] = []
  for (let at = range.offset; at < range.end; ) {
    const messages = await eventLog.read(topic, at, { messagesMax: 7, bytesMax: 1_000_000 })
    offsets.push(...messages.map(({ offset }) => offset))
    at = (messages.at(-1)?.offset ?? at) + 1
    if (messages.length === 0) throw new Error(`nothing at ${at}`)
  }
  return offsets
}

const upTo = (end: number) => Array.from({ length: end }, (_, at) => at)

describe.skipIf(noCluster)('on Kafka', () => {
  eventLogLaws('on Kafka', async (topics) => {
    const topicPrefix = await freshTopics(brokers(), topics)
    const eventLog = logAt(brokers(), { topicPrefix })
    return { eventLog, end: () => eventLog.close() }
  })

  test('two concurrent writers receive the offset of each message', async () => {
    await withLogs(['a'], async (open) => {
      const writers = [open(), open()]
      const returned = await Promise.all(
        writers.map(async (eventLog, writer) => {
          const places: [number, string][] = []
          for (let at = 0; at < 20; at++) {
            const texts = [`${writer}.${at}.first`, `${writer}.${at}.second`]
            const offsets = await eventLog.append('a', texts.map(textMessage))
            for (const [i, text] of texts.entries()) places.push([offsets[i] ?? -1, text])
          }
          return places
        }),
      )
      const held = await open().read('a', 0, all)
      const places = new Map(returned.flat())
      expect(places.size).toBe(80)
      expect(held.map(({ offset }) => places.get(offset))).toEqual(textsOf(held))
    })
  })

  test('a message of 8 MiB that does not compress comes as it went', async () => {
    await withLogs(['a'], async (open) => {
      const value = noise(8 * 1024 * 1024)
      const eventLog = open()
      expect(
        await eventLog.append('a', [
          textMessage('before'),
          { key: 'k', value },
          textMessage('after'),
        ]),
      ).toEqual([0, 1, 2])
      const [first, great, last] = await readAll(eventLog, 3)
      expect(Buffer.from(great?.value ?? []).equals(value)).toBe(true)
      expect([first, last].map((one) => one?.offset)).toEqual([0, 2])
    })
  })

  test('a message above the bound of its topic is refused with one sentence', async () => {
    await withLogs(['a'], async (open) => {
      const eventLog = open()
      const value = noise(9 * 1024 * 1024)
      await expect(eventLog.append('a', [{ key: 'k', value }])).rejects.toThrow(
        /topic \S+\.a refuses a batch of \d+ bytes .*: raise its max.message.bytes/,
      )
      expect(await eventLog.append('a', [textMessage('small')])).toEqual([0])
    })
  })

  test('is read from any offset, there and back', async () => {
    await withLogs(['a'], async (open) => {
      const eventLog = open()
      await eventLog.append('a', numbered(200))
      for (const offset of [150, 10, 199, 0, 77, 78, 76]) {
        const [message] = await eventLog.read('a', offset, { messagesMax: 2, bytesMax: 1_000 })
        expect(message?.offset).toBe(offset)
        expect(
          (await eventLog.read('a', 200 - offset, { messagesMax: 1, bytesMax: 1 }))[0]?.offset,
        ).toBe(offset === 0 ? undefined : 200 - offset)
      }
      expect(await readUpTo(eventLog, 'a', { offset: 0, end: 200 })).toEqual(upTo(200))
    })
  })

  test('one looked up beside the reading does not make it begin anew', async () => {
    await withLogs(['a'], async (open) => {
      const eventLog = open()
      await eventLog.append('a', numbered(100))
      const backwards: number[] = []
      for (let offset = 99; offset >= 0; offset--) {
        const [message] = await eventLog.read('a', offset, { messagesMax: 1, bytesMax: 1 })
        backwards.push(message?.offset ?? -1)
      }
      expect(backwards).toEqual(upTo(100).reverse())
    })
  })

  test('wakes who waits as soon as something comes, not at the next look', async () => {
    await withLogs(['a'], async (open, topicPrefix) => {
      // A look that is held back so long shows itself, however busy the machine is.
      const fetchWaitMs = 20_000
      const limits = { fetchWaitMs, requestTimeoutMs: 40_000, callTimeoutMs: 50_000 }
      const session = { sessionTimeoutMs: 70_000, rebalanceTimeoutMs: 80_000 }
      const patient = { ...limits, ...session, stallTimeoutMs: 100_000 }
      const reader = logAt(brokers(), { topicPrefix, limits: patient })
      const writer = open()
      await writer.append('a', [textMessage('first')])
      await reader.waitBeyond('a', 0, forever)
      const tookMs: number[] = []
      for (let at = 1; at <= 40; at++) {
        const woken = reader.waitBeyond('a', at, forever)
        const sentAt = performance.now()
        await writer.append('a', [textMessage(`${at}`)])
        await woken
        tookMs.push(performance.now() - sentAt)
        expect(await reader.read('a', at, all)).toHaveLength(1)
      }
      await reader.close()
      expect(Math.max(...tookMs)).toBeLessThan(fetchWaitMs / 2)
    })
  })

  test('holes are passed: those of transactions, committed or aborted', async () => {
    await withLogs(['a'], async (open, prefix) => {
      const eventLog = open()
      await eventLog.append('a', [textMessage('0')])
      await inTransactions(`${prefix}a`, ['commit', 'abort', 'commit'])
      const [last] = await eventLog.append('a', [textMessage('last')])
      const messages = await readAll(eventLog, 4)
      expect(textsOf(messages)).toEqual(['0', 'commit', 'commit', 'last'])
      expect(messages.at(-1)?.offset).toBe(last)
      expect(last).toBeGreaterThan(4)
      await eventLog.append('a', [textMessage('later')])
      await eventLog.waitBeyond('a', (last ?? 0) + 1, forever)
    })
  })

  test('what is behind an open transaction is not there yet, and comes with its end', async () => {
    await withLogs(['a'], async (open, prefix) => {
      const eventLog = open()
      await eventLog.append('a', [textMessage('before')])
      await inTransactions(`${prefix}a`, ['commit'], async () => {
        await eventLog.append('a', [textMessage('behind')])
        expect(await eventLog.end('a')).toBe(1)
        expect(textsOf(await eventLog.read('a', 0, all))).toEqual(['before'])
        expect(await eventLog.read('a', 1, all)).toEqual([])
      })
      await eventLog.waitBeyond('a', 1, forever)
      expect(textsOf(await readAll(eventLog, 3))).toEqual(['before', 'commit', 'behind'])
    })
  })

  test('a recreated topic is distinguished from the one that was read', async () => {
    await withLogs(['a'], async (open, prefix) => {
      const reader = open()
      await open().append('a', numbered(50))
      expect(await readUpTo(reader, 'a', { offset: 0, end: 50 })).toHaveLength(50)
      const waiting = reader.waitBeyond('a', 50, forever)
      await withAdmin(brokers(), async (admin) => {
        await admin.deleteTopics({ topics: [`${prefix}a`] })
      })
      await madeAnew(`${prefix}a`)
      await open().append('a', numbered(3))
      await waiting
      await expect(reader.read('a', 50, all)).rejects.toThrow(OffsetLost)
      expect(await readUpTo(reader, 'a', { offset: 0, end: 3 })).toEqual(upTo(3))
    })
  })

  test('deleted messages are distinguished from those yet to come', async () => {
    await withLogs(['a'], async (open, prefix) => {
      const eventLog = open()
      await eventLog.append('a', numbered(50))
      await withAdmin(brokers(), async (admin) => {
        const topic = `${prefix}a`
        // Without that question it does not know whom to tell.
        await admin.fetchTopicOffsets(topic)
        await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '20' }] })
      })
      expect(await eventLog.begin('a')).toBe(20)
      await eventLog.waitBeyond('a', 5, forever)
      await expect(eventLog.read('a', 5, all)).rejects.toMatchObject({
        range: { begin: 20, end: 50 },
      })
      expect(await readUpTo(eventLog, 'a', { offset: 20, end: 50 })).toEqual(upTo(50).slice(20))
    })
  })

  /** All there is, which are so many. */
  async function readAll(eventLog: EventLog, count: number) {
    const messages: Awaited<ReturnType<EventLog['read']>>[number][] = []
    while (messages.length < count) {
      const at = (messages.at(-1)?.offset ?? -1) + 1
      messages.push(...(await eventLog.read('a', at, { messagesMax: 100, bytesMax: 2 ** 25 })))
    }
    return messages
  }

  async function inTransactions(
    topic: string,
    ends: readonly ('commit' | 'abort')[],
    whileOpen = async () => {},
  ) {
    const kafka = new Kafka({ brokers: [...brokers()], logLevel: 0 })
    const producer = kafka.producer({ transactionalId: topic, maxInFlightRequests: 1 })
    await producer.connect()
    for (const end of ends) {
      const transaction = await producer.transaction()
      await transaction.send({ topic, messages: [{ key: 'k', value: end }] })
      await whileOpen()
      await transaction[end]()
    }
    await producer.disconnect()
  }

  /** A topic that is deleted is gone a moment later. */
  async function madeAnew(name: string): Promise<void> {
    await expect
      .poll(() => withAdmin(brokers(), (admin) => admin.listTopics()), { timeout: 100_000 })
      .not.toContain(name)
    await createTopics(brokers(), [plainTopic(name)])
  }
})

function noise(bytes: number): Buffer {
  const value = Buffer.alloc(bytes)
  let state = 1
  for (let at = 0; at + 4 <= bytes; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    value.writeUInt32LE((state ^ (state >>> 15)) >>> 0, at)
  }
  return value
}
