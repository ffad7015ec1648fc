import { afterEach, describe, expect, test, vi } from 'vitest'
import type { EventLog } from '../../libs/ports/event-log.ts'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import { prices } from '../../libs/tables/tables/prices.ts'
import { progress } from '../../libs/tables/tables/progress.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { startDimensions } from '../../services/projector/facts/dimensions.ts'
import { factFolds } from '../../services/projector/facts/fact-folds.ts'
import { MemoryStore } from '../../services/projector/testing/memory-store.ts'
import { cluster, noCluster } from '../support/cluster.ts'
import {
  createTopics,
  freshTopics,
  logAt,
  plainTopic,
  withAdmin,
} from '../support/kafka-for-tests.ts'

const topic = 'coin-prices'
const names = [...factFolds.map((fold) => fold.topic), 'changes']
const priceOf = (price: number) => ({
  key: '1:now',
  value: encodeMessage({ chainId: 1, moment: 'now', time: 5, price: `${price}` }),
})
const pricesOf = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => priceOf(from + at))

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** The price that readers see. */
const shown = (store: MemoryStore) => {
  const row = store.readAll().prices?.now
  return row === undefined ? null : JSON.parse(row).price
}
const untilShown = (store: MemoryStore, price: number) =>
  vi.waitFor(() => expect(shown(store)).toBe(`${price}`), { timeout: 100_000, interval: 50 })

describe.skipIf(noCluster)('a topic of facts on Kafka that is made anew', () => {
  const brokers = () => cluster().kafka.brokers

  async function started() {
    const topicPrefix = await freshTopics(brokers(), names)
    const store = new MemoryStore([prices, progress])
    const state = memoryStateStore()
    const publisher = logAt(brokers(), { topicPrefix })
    ends.push(() => publisher.close())
    const project = () => {
      const eventLog: EventLog = logAt(brokers(), { topicPrefix })
      const limits = { factsLookMs: 500, logRetryMaxMs: 500, logAttemptsMax: 200 }
      const projector = startDimensions({ eventLog, store, state, chainId: 1, limits })
      let isOver = false
      const end = async () => {
        if (isOver) return
        isOver = true
        await projector.stop()
        await eventLog.close()
      }
      ends.push(end)
      return end
    }
    return { store, publisher, project, name: topicPrefix + topic }
  }

  async function madeAnew(name: string) {
    await withAdmin(brokers(), (admin) => admin.deleteTopics({ topics: [name] }))
    await vi.waitFor(
      async () => {
        const there = await withAdmin(brokers(), (admin) => admin.listTopics())
        expect(there).not.toContain(name)
      },
      { timeout: 100_000, interval: 50 },
    )
    await createTopics(brokers(), [plainTopic(name)])
  }

  test.each([
    ['fewer messages', 1],
    ['as many messages', 10],
    ['more messages', 25],
  ])('while the group reads it, and gets %s, is folded from its begin', async (_what, count) => {
    const { store, publisher, project, name } = await started()
    project()
    await publisher.append(topic, pricesOf(101, 110))
    await untilShown(store, 110)
    await madeAnew(name)
    await publisher.append(topic, pricesOf(2_001, 2_000 + count))
    await untilShown(store, 2_000 + count)
  })

  test.each([
    ['fewer messages', 1],
    ['more messages', 25],
  ])('while the group is away, and gets %s, is folded from its begin', async (_what, count) => {
    const { store, publisher, project, name } = await started()
    const end = project()
    await publisher.append(topic, pricesOf(101, 110))
    await untilShown(store, 110)
    await end()
    await madeAnew(name)
    await publisher.append(topic, pricesOf(2_001, 2_000 + count))
    project()
    await untilShown(store, 2_000 + count)
  })
})
