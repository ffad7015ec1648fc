import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type KafkaAddress, startKafka } from '../../deploy/stack/kafka.ts'
import type { Server } from '../../deploy/stack/server.ts'
import { checkKafka } from '../../libs/adapters/kafka/check-kafka.ts'
import { type KafkaEventLog, kafkaEventLog } from '../../libs/adapters/kafka/kafka-event-log.ts'
import { LogUnavailable } from '../../libs/ports/event-log.ts'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { progress } from '../../libs/tables/tables/progress.ts'
import { MemoryStore } from '../../services/projector/testing/memory-store.ts'
import { streamOf } from '../../services/projector/testing/stream.ts'
import { sent, toyGroup } from '../../services/projector/testing/toy-group.ts'
import { World } from '../../services/projector/testing/world.ts'
import { noCluster } from '../support/cluster.ts'
import { freshTopics, logAt, placeOf, withAdmin } from '../support/kafka-for-tests.ts'
import { type OwnCertificate, ownCertificate } from '../support/own-certificate.ts'
import { all, textMessage, textsOf } from './event-log-laws.ts'

const quick = {
  connectTimeoutMs: 500,
  requestTimeoutMs: 1_200,
  requestAttemptsMax: 2,
  callTimeoutMs: 6_000,
  readTimeoutMs: 3_000,
  sessionTimeoutMs: 4_000,
  heartbeatIntervalMs: 500,
  rebalanceTimeoutMs: 5_000,
  stallTimeoutMs: 6_000,
}

/** Ends a test that hangs; nothing is measured by it. */
const patienceMs = 100_000

/** What is compacted on other brokers within minutes, is here within seconds. */
const cleaning = { 'log.cleaner.backoff.ms': 200 }

/** The door for those with a password speaks TLS. */
const overTls = ({ keystore, password }: OwnCertificate) => ({
  'listener.security.protocol.map': 'OPEN:PLAINTEXT,SASL:SASL_SSL,CONTROLLER:PLAINTEXT',
  'ssl.keystore.type': 'PKCS12',
  'ssl.keystore.location': keystore,
  'ssl.keystore.password': password,
  'ssl.key.password': password,
})

/** Appends one text after the other; one that was not acknowledged is not appended again. */
class Writer {
  readonly acknowledged = new Map<number, string>()
  failures = 0
  readonly #eventLog: KafkaEventLog
  #stopped = false
  readonly #running: Promise<void>

  constructor(eventLog: KafkaEventLog) {
    this.#eventLog = eventLog
    this.#running = this.#run()
  }

  async #run(): Promise<void> {
    for (let at = 0; !this.#stopped; at++) {
      try {
        const [offset] = await this.#eventLog.append('a', [textMessage(`${at}`)])
        this.acknowledged.set(offset ?? -1, `${at}`)
      } catch (error) {
        if (!(error instanceof LogUnavailable)) throw error
        this.failures++
      }
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }
}

/** Reads to the end again and again. */
class Follower {
  readonly read = new Map<number, string>()
  failures = 0
  readonly #eventLog: KafkaEventLog
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>

  constructor(eventLog: KafkaEventLog) {
    this.#eventLog = eventLog
    this.#running = this.#run()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    for (let at = 0; !signal.aborted; ) {
      try {
        const messages = await this.#eventLog.read('a', at, { messagesMax: 10, bytesMax: 10_000 })
        for (const [i, text] of textsOf(messages).entries()) {
          const { offset } = messages[i] ?? { offset: -1 }
          if (this.read.has(offset)) throw new Error(`offset ${offset} came twice`)
          this.read.set(offset, text)
        }
        at = (messages.at(-1)?.offset ?? at - 1) + 1
        if (messages.length === 0) await this.#eventLog.waitBeyond('a', at, signal)
      } catch (error) {
        if (!(error instanceof LogUnavailable)) throw error
        this.failures++
      }
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }
}

describe.skipIf(noCluster)('a broker that goes and comes back', () => {
  let folder: string
  let certificate: OwnCertificate
  let kafka: Server<KafkaAddress>
  let logs: KafkaEventLog[] = []

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'foldscan-kafka-'))
    certificate = ownCertificate(folder, 'broker')
    kafka = await startKafka({ folder, settings: { ...overTls(certificate), ...cleaning } })
  })
  afterAll(async () => {
    await Promise.all(logs.map((eventLog) => eventLog.close()))
    await kafka.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('is reached over TLS with its CA, and reports a plaintext connection', async () => {
    const { brokers, saslBrokers, username, password } = kafka.address
    const sasl = { mechanism: 'plain' as const, username, password }
    const place = { ...placeOf(saslBrokers), sasl, tls: { ca: certificate.ca } }
    await checkKafka({ place, log: silentLog })
    const topicPrefix = await freshTopics(brokers, ['a'])
    const eventLog = kafkaEventLog({ place, log: silentLog, topicPrefix, compacted: [] })
    expect(await eventLog.append('a', [textMessage('over TLS')])).toEqual([0])
    expect(textsOf(await eventLog.read('a', 0, all))).toEqual(['over TLS'])
    await eventLog.close()
    const inTheOpen = checkKafka({ place: { ...place, tls: null }, log: silentLog })
    await expect(inTheOpen).rejects.toThrow(
      'uses TLS: set --kafka-tls, or use its port without TLS',
    )
    const { ca } = ownCertificate(folder, 'somebody-else')
    const distrusted = checkKafka({ place: { ...place, tls: { ca } }, log: silentLog })
    await expect(distrusted).rejects.toThrow(
      /has a certificate that is not trusted \(\w+\): set its CA with --kafka-ca-file/,
    )
  })

  test('may compact a topic: what is left is read over the holes, from any offset', async () => {
    const { brokers } = kafka.address
    const topicPrefix = await freshTopics(brokers, [])
    const topic = `${topicPrefix}facts`
    await createCompacted(topic)
    const writer = logAt(brokers, { topicPrefix })
    const say = (at: number) => ({ key: `${at % 5}`, value: Buffer.from(`${at}`) })
    await expect.poll(() => writer.end('facts'), { timeout: patienceMs }).toBe(0)
    let count = 0
    for (; count < 200; count++) await writer.append('facts', [say(count)])
    const read = async () => {
      await writer.append('facts', [say(count++)])
      const reader = logAt(brokers, { topicPrefix })
      const found: { offset: number; key: string; text: string }[] = []
      for (let at = 0; at < count; ) {
        const messages = await reader.read('facts', at, { messagesMax: 7, bytesMax: 1_000 })
        for (const { offset, key, value } of messages)
          found.push({ offset, key, text: `${Buffer.from(value)}` })
        at = (messages.at(-1)?.offset ?? Number.POSITIVE_INFINITY) + 1
      }
      const [afterHole] = await reader.read('facts', 3, { messagesMax: 2, bytesMax: 1 })
      await reader.close()
      return { found, afterHole: afterHole?.offset ?? 0 }
    }
    let last = await read()
    for (let look = 0; look < 60 && last.found.length > 100; look++) last = await read()
    expect(last.found.length).toBeLessThan(100)
    // The cleaner goes on in between.
    const first = last.found[0]?.offset ?? 0
    expect(first).toBeGreaterThan(3)
    expect(last.afterHole).toBeGreaterThanOrEqual(first)
    expect(last.found.filter(({ offset, text }) => text !== `${offset}`)).toEqual([])
    const newest = new Map(last.found.map(({ key, offset }) => [key, offset]))
    expect([...newest.values()].sort((a, b) => a - b)).toEqual(
      [5, 4, 3, 2, 1].map((n) => count - n),
    )
    await writer.close()
  })

  test('may leave an empty batch before a great message: who reads gets past both', async () => {
    const { brokers } = kafka.address
    const topicPrefix = await freshTopics(brokers, [])
    await createCompacted(`${topicPrefix}facts`)
    // A batch of each producer is kept, empty, when all its messages have gone.
    const [early, late] = [logAt(brokers, { topicPrefix }), logAt(brokers, { topicPrefix })]
    await expect.poll(() => early.end('facts'), { timeout: patienceMs }).toBe(0)
    await early.append('facts', [textMessage('old')])
    const great = { key: textMessage('').key, value: randomBytes(2 * 1024 * 1024) }
    const [at = -1] = await late.append('facts', [great])
    const wide = { fetchBytesMax: 8 * 1024 * 1024, compactedFetchBytesMax: 8 * 1024 * 1024 }
    // Each append may begin a segment: only what lies in one before is compacted.
    const firstHeld = async () => {
      await late.append('facts', [{ key: 'another', value: Buffer.from('small') }])
      const reader = logAt(brokers, { topicPrefix, limits: wide })
      const [first] = await reader.read('facts', 0, all)
      await reader.close()
      return first?.offset
    }
    await expect.poll(firstHeld, { timeout: patienceMs, interval: 100 }).toBe(at)
    const reader = logAt(brokers, { topicPrefix, compacted: ['facts'] })
    const [first] = await reader.read('facts', 0, all)
    expect(first?.offset).toBe(at)
    expect(first?.value.length).toBe(great.value.length)
    await Promise.all([early, late, reader].map((eventLog) => eventLog.close()))
  })

  test('that is gone keeps nobody from closing', async () => {
    const { brokers } = kafka.address
    const topicPrefix = await freshTopics(brokers, ['a'])
    const eventLog = logAt(brokers, { topicPrefix })
    await eventLog.append('a', [textMessage('0')])
    const waiting = eventLog.waitBeyond('a', 1, new AbortController().signal)
    await eventLog.read('a', 0, all)
    await kafka.pause()
    const append = eventLog.append('a', [textMessage('1')]).catch((error: unknown) => error)
    // The broker goes on after it: who waited for its answer would wait for ever.
    await eventLog.close()
    await kafka.resume()
    await Promise.all([waiting, append])
  })

  async function createCompacted(topic: string): Promise<void> {
    const settings = { 'cleanup.policy': 'compact', 'segment.ms': 100, 'retention.ms': -1 }
    const soon = { ...settings, 'min.cleanable.dirty.ratio': 0.01, 'max.message.bytes': 9_000_000 }
    const configEntries = Object.entries(soon).map(([name, value]) => ({ name, value: `${value}` }))
    await withAdmin(kafka.address.brokers, (admin) =>
      admin.createTopics({ topics: [{ topic, numPartitions: 1, configEntries }] }),
    )
  }

  const harms: readonly [string, () => Promise<void>, () => Promise<void>][] = [
    ['stopped and started', () => kafka.stop(), () => kafka.restart()],
    ['killed and started', () => kafka.kill(), () => kafka.restart()],
    ['stopped in its tracks for a while', () => kafka.pause(), () => kafka.resume()],
  ]
  test.each(harms)(
    '%s: who appends, who reads and a projector go on',
    async (_what, harm, heal) => {
      const { brokers } = kafka.address
      const topicPrefix = await freshTopics(brokers, ['a', 'blocks', 'changes'])
      const at = () => logAt(brokers, { topicPrefix, limits: quick })
      const [writing, reading, folding] = [at(), at(), at()]
      logs.push(writing, reading, folding)
      const world = new World(toyGroup, {
        eventLog: folding,
        store: new MemoryStore([sent, progress]),
        state: memoryStateStore(),
      })
      const { wire, canonical } = streamOf([{ kind: 'apply', senders: [1] }])
      await world.hear(wire.slice(0, -1))
      // A start would give up at once.
      const projector = world.start({ limits: { logAttemptsMax: 1, logRetryMs: 1 } })
      await projector.waitFor(canonical.length - 1)
      const writer = new Writer(writing)
      const follower = new Follower(reading)
      await expect.poll(() => follower.read.size, { timeout: patienceMs }).toBeGreaterThan(20)
      await harm()
      await expect.poll(() => writer.failures, { timeout: patienceMs }).toBeGreaterThan(0)
      await heal()
      const before = writer.acknowledged.size
      await expect
        .poll(() => writer.acknowledged.size, { timeout: patienceMs })
        .toBeGreaterThan(before + 20)
      await writer.stop()
      const last = Math.max(...writer.acknowledged.keys())
      await expect.poll(() => follower.read.has(last), { timeout: patienceMs }).toBe(true)
      await follower.stop()
      await world.hear(wire.slice(-1))
      await projector.waitFor(canonical.length)
      await projector.stop()
      const wrong = [...writer.acknowledged].filter(
        ([offset, text]) => follower.read.get(offset) !== text,
      )
      expect(wrong).toEqual([])
      await Promise.all(logs.map((eventLog) => eventLog.close()))
      logs = []
    },
  )
})
