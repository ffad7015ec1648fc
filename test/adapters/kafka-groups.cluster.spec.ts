import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { KafkaEventLog } from '../../libs/adapters/kafka/kafka-event-log.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import { cluster, noCluster } from '../support/cluster.ts'
import { freshTopics, logAt, withAdmin } from '../support/kafka-for-tests.ts'
import { stripTypes } from '../support/strip-types.ts'
import { all, textMessage } from './event-log-laws.ts'

const brokers = () => cluster().kafka.brokers
const forever = new AbortController().signal

interface Members {
  readonly writer: EventLog
  readonly group: string
  readonly topicPrefix: string
  join(): KafkaEventLog
}

async function withMembers(use: (members: Members) => Promise<void>): Promise<void> {
  const topicPrefix = await freshTopics(brokers(), ['a'])
  const group = `${topicPrefix}group`
  const writer = logAt(brokers(), { topicPrefix })
  const opened: KafkaEventLog[] = [writer]
  const limits = { sessionTimeoutMs: 2_000, heartbeatIntervalMs: 100, commitIntervalMs: 50 }
  const quick = { ...limits, rebalanceTimeoutMs: 3_000 }
  const join = () => {
    const eventLog = logAt(brokers(), { topicPrefix, groupOf: () => group, limits: quick })
    opened.push(eventLog)
    return eventLog
  }
  try {
    await use({ writer, group, topicPrefix, join })
  } finally {
    await Promise.all(opened.map((eventLog) => eventLog.close()))
  }
}

/** Reads on as a projector does, from an offset of its own; remembers what it was given. */
class Reader {
  readonly given: number[] = []
  readonly #eventLog: EventLog
  readonly #stopping = new AbortController()
  #offset: number
  readonly #running: Promise<void>

  constructor(eventLog: EventLog, offset: number) {
    this.#eventLog = eventLog
    this.#offset = offset
    this.#running = this.#run()
  }

  get offset(): number {
    return this.#offset
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const messages = await this.#eventLog.read('a', this.#offset, {
        messagesMax: 3,
        bytesMax: 1_000,
      })
      this.given.push(...messages.map(({ offset }) => offset))
      this.#offset = (messages.at(-1)?.offset ?? this.#offset - 1) + 1
      if (messages.length === 0) await this.#eventLog.waitBeyond('a', this.#offset, signal)
    }
  }

  until(offset: number): Promise<void> {
    return expect.poll(() => this.#offset, { interval: 5, timeout: 100_000 }).toBe(offset)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }
}

const upTo = (from: number, end: number) => Array.from({ length: end - from }, (_, at) => from + at)

describe.skipIf(noCluster)('members of one group', () => {
  test('read from the given offset, not from the committed one', async () => {
    await withMembers(async ({ writer, group, join }) => {
      await writer.append('a', upTo(0, 30).map(String).map(textMessage))
      const first = join()
      const reader = new Reader(first, 0)
      await reader.until(30)
      await reader.stop()
      await expect.poll(() => committed(group), { timeout: 100_000 }).toBeGreaterThan(0)
      await first.close()
      const second = new Reader(join(), 4)
      await second.until(30)
      expect(second.given).toEqual(upTo(4, 30))
      await second.stop()
    })
  })

  test('stand by while another reads, and take over where their own state ends', async () => {
    await withMembers(async ({ writer, join }) => {
      await writer.append('a', upTo(0, 20).map(String).map(textMessage))
      const active = join()
      const reading = new Reader(active, 0)
      await reading.until(20)
      const late = join()
      expect(await late.read('a', 7, all)).toEqual([])
      const standing = new Reader(late, 7)
      await writer.append('a', upTo(20, 25).map(String).map(textMessage))
      await reading.until(25)
      expect(standing.given).toEqual([])
      await reading.stop()
      await active.close()
      await standing.until(25)
      await standing.stop()
      expect(reading.given).toEqual(upTo(0, 25))
      expect(standing.given).toEqual(upTo(7, 25))
    })
  })

  test('leave the partition to the member that has read furthest', async () => {
    await withMembers(async ({ writer, join }) => {
      await writer.append('a', upTo(0, 10).map(String).map(textMessage))
      const reading = new Reader(join(), 0)
      await reading.until(10)
      for (let end = 11; end <= 16; end++) {
        const late = join()
        expect(await late.read('a', 2, all)).toEqual([])
        await writer.append('a', [textMessage('more')])
        await reading.until(end)
        await late.close()
      }
      await reading.stop()
      expect(reading.given).toEqual(upTo(0, 16))
    })
  })

  test('that are killed leave their place when their session ends', async () => {
    await withMembers(async ({ writer, group, topicPrefix, join }) => {
      await writer.append('a', upTo(0, 10).map(String).map(textMessage))
      const member = fileURLToPath(new URL('../support/kafka-member.ts', import.meta.url))
      const args = [...stripTypes, member, brokers().join(','), topicPrefix, group]
      const killed = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      try {
        for await (const printed of killed.stdout) if (`${printed}` === 'reads\n') break
        const late = join()
        expect(await late.read('a', 0, all)).toEqual([])
        const standing = new Reader(late, 0)
        killed.kill('SIGKILL')
        await standing.until(10)
        await standing.stop()
      } finally {
        killed.kill('SIGKILL')
      }
    })
  })

  async function committed(groupId: string): Promise<number> {
    const [topic] = await withAdmin(brokers(), (admin) => admin.fetchOffsets({ groupId }))
    return Number(topic?.partitions[0]?.offset ?? -1)
  }

  test('wait for abort and close, also while they stand by', async () => {
    await withMembers(async ({ writer, join }) => {
      await writer.append('a', [textMessage('0')])
      const reading = new Reader(join(), 0)
      await reading.until(1)
      const late = join()
      expect(await late.read('a', 0, all)).toEqual([])
      const abort = new AbortController()
      const aborted = late.waitBeyond('a', 0, abort.signal)
      abort.abort()
      await aborted
      const closed = late.waitBeyond('a', 0, forever)
      await late.close()
      await closed
      await reading.stop()
    })
  })
})
