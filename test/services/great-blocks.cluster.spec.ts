import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parsePart, partBytesMax } from '../../libs/topics/parts.ts'
import { cluster, noCluster, type OwnPlace, ownPlace, ownStore } from '../support/cluster.ts'
import { type GreatKind, greatBlockProcess } from '../support/great-blocks.ts'
import { greatRowsIn, greatRowsOf } from '../support/great-rows.ts'
import { logAt, placeOf } from '../support/kafka-for-tests.ts'
import { until } from '../support/until.ts'
import { watchMemory } from '../support/watch-memory.ts'
import { endAll, type Running } from '../up/running.ts'
import { type OwnServices, ownServices } from './own-services.ts'

const top = join(import.meta.dirname, '../..')
const foldedMaxMs = 240_000

interface Great {
  readonly kind: GreatKind
  readonly megabytes: number
  readonly publisherMiBMax: number
  /** Of one projector. */
  readonly projectorMiBMax: number
}

describe.skipIf(noCluster)('a great block through Kafka', () => {
  let place: OwnPlace
  let own: OwnServices
  let store: Awaited<ReturnType<typeof ownStore>>

  beforeEach(async () => {
    place = ownPlace()
    own = ownServices(cluster(), place)
    await own.createTopics()
    expect(await own.run('migrate', { 'chain-id': '1' })).toMatchObject({ code: 0 })
    store = await ownStore(place)
  })
  afterEach(async () => {
    endAll()
    await store.drop()
    await own.drop()
  })
  afterAll(endAll)

  async function published(kind: GreatKind, megabytes: number): Promise<number> {
    const { brokers } = cluster().kafka
    const log = JSON.stringify({ place: placeOf(brokers), topicPrefix: place.topicPrefix })
    const child = spawn(
      process.execPath,
      [...greatBlockProcess, 'ingest', kind, `${megabytes}`, '', log],
      { cwd: top, stdio: ['ignore', 'inherit', 'inherit'] },
    )
    const memory = watchMemory(child.pid ?? 0)
    expect(await once(child, 'exit')).toEqual([0, null])
    return memory.end()
  }

  /** Messages that are parts, and the largest of all. */
  async function partsInKafka() {
    const eventLog = logAt(cluster().kafka.brokers, { topicPrefix: place.topicPrefix })
    const end = await eventLog.end('blocks')
    let [parts, largest] = [0, 0]
    for (let offset = 0; offset < end; ) {
      const read = await eventLog.read('blocks', offset, { messagesMax: 4, bytesMax: 1 })
      for (const { value } of read) {
        parts += parsePart(value) === null ? 0 : 1
        largest = Math.max(largest, value.length)
      }
      offset += read.length
    }
    await eventLog.close()
    return { parts, largest }
  }

  const positionOf = async (projector: Running, group: string) => {
    const text = await (await fetch(`${await projector.health()}/metrics`)).text()
    return Number(text.match(`foldscan_indexed_position{group="${group}"} (\\d+)`)?.[1] ?? 0)
  }

  it.each<Great>([
    { kind: 'logs', megabytes: 1, publisherMiBMax: 256, projectorMiBMax: 256 },
    { kind: 'transfers', megabytes: 20, publisherMiBMax: 512, projectorMiBMax: 512 },
    { kind: 'inputs', megabytes: 100, publisherMiBMax: 700, projectorMiBMax: 700 },
  ])(
    'of $kind of $megabytes MB becomes the rows that it should, in bounded memory',
    async ({ kind, megabytes, publisherMiBMax, projectorMiBMax }) => {
      const publisher = await published(kind, megabytes)
      const { parts, largest } = await partsInKafka()
      expect(parts > 0).toBe(megabytes > 8)
      expect(largest).toBeLessThanOrEqual(partBytesMax)
      const folded = ['ledger', 'state'].map(async (group) => {
        const projector = own.start('projector', { group })
        const memory = watchMemory(projector.pid)
        const isAt = async () => (await positionOf(projector, group)) === 3
        await until(`${group} has folded the block`, isAt, foldedMaxMs)
        return memory.end()
      })
      const peaks = await Promise.all(folded)
      expect(await greatRowsIn(store.store)).toEqual(greatRowsOf(kind, megabytes))
      expect(publisher).toBeLessThan(publisherMiBMax)
      for (const peak of peaks) expect(peak).toBeLessThan(projectorMiBMax)
    },
    300_000,
  )
})
