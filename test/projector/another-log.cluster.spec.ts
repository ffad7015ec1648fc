import { afterEach, describe, expect, test } from 'vitest'
import type { StateStore } from '../../libs/ports/state-store.ts'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { progress } from '../../libs/tables/tables/progress.ts'
import { startProjector } from '../../services/projector/projector.ts'
import { block, blocks, seen, streamed } from '../../services/projector/testing/lost-tail.ts'
import { MemoryStore } from '../../services/projector/testing/memory-store.ts'
import { applied } from '../../services/projector/testing/messages.ts'
import type { Stream } from '../../services/projector/testing/stream.ts'
import { sent, toyGroup } from '../../services/projector/testing/toy-group.ts'
import { cluster, noCluster } from '../support/cluster.ts'
import { freshTopics, logAt } from '../support/kafka-for-tests.ts'

const first = block(1, 1).block
/** The same blocks under the same numbers, the first one with other contents. */
const anew = streamed([
  applied(1, { number: 1, hash: first.hash, parentHash: first.parentHash, senders: [7] }),
  ...blocks(26).slice(1),
])
const old = streamed([...blocks(20), seen(21, 20), seen(22, 20)])
/** The same up to message 20. */
const cut = streamed([...blocks(20), block(21, 21), block(22, 22), block(23, 23)])

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

describe.skipIf(noCluster)('topics of one chain on Kafka', () => {
  const topicsOf = async ({ wire }: Stream) => {
    const { brokers } = cluster().kafka
    const topicPrefix = await freshTopics(brokers, ['blocks', 'changes'])
    const eventLog = logAt(brokers, { topicPrefix })
    ends.push(() => eventLog.close())
    await eventLog.append(
      'blocks',
      wire.map((value) => ({ key: '1', value })),
    )
    return eventLog
  }

  test('another log is refused, and a cut one', async () => {
    const store = new MemoryStore([sent, progress])
    const folds = async (stream: Stream, state: StateStore = memoryStateStore()) => {
      const eventLog = await topicsOf(stream)
      const limits = { flushMessagesMax: 4 }
      const parts = { group: toyGroup, eventLog, store, state, limits, tables: store.names }
      const projector = startProjector(parts)
      const end = await projector.waitFor(stream.canonical.length).then(
        () => 'folded',
        (error: Error) => error.message,
      )
      await projector.stop()
      return end
    }
    const volume = memoryStateStore()
    expect(await folds(old, volume)).toBe('folded')
    const rows = store.readAll()
    for (const state of [volume, memoryStateStore()]) {
      const sentence = await folds(anew, state)
      expect(sentence).toContain('is another log than the one that the rows of state were made of')
      expect(sentence).toContain(runbooks.lostTail)
      expect(store.readAll()).toEqual(rows)
    }
    expect(await folds(cut)).toContain('the tables have rows up to 22 that are not of topic blocks')
    expect(store.readAll()).toEqual(rows)
  })
})
