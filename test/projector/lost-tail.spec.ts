import fc from 'fast-check'
import { expect, test } from 'vitest'
import { memoryEventLog } from '../../libs/adapters/memory/memory-event-log.ts'
import { memoryStateStore } from '../../libs/adapters/memory/memory-state-store.ts'
import type { Store } from '../../libs/ports/store.ts'
import { ledger } from '../../libs/projections/ledger.ts'
import { stateGroup } from '../../libs/projections/state-group.ts'
import { readModels } from '../../libs/read-models/registry.ts'
import { calmLife } from '../../services/projector/testing/expectations.ts'
import { streamEvents, streamOf } from '../../services/projector/testing/stream.ts'
import { World } from '../../services/projector/testing/world.ts'
import { testStore } from '../support/engine.ts'
import { testSeed } from '../support/seed.ts'
import { tablesOfStore } from './tables-of-store.ts'

const tables = readModels.map(({ table }) => table).filter(({ name }) => name !== 'progress')
const numRuns = Number(process.env.FOLDSCAN_TEST_RUNS ?? 3)

test(`the end of the log was lost and the volume emptied: the engine has the rows of the log that is there (seed ${testSeed})`, async () => {
  const logs = fc.record({
    common: streamEvents(30),
    lost: streamEvents(12),
    instead: streamEvents(12),
  })
  const property = fc.asyncProperty(logs, async ({ common, lost, instead }) => {
    const { store, drop } = await testStore()
    const before = streamOf([...common, ...lost])
    // Only where the log has come as far as the tables can they be compared.
    const further = before.canonical.map(() => ({ kind: 'apply' as const, senders: [2] }))
    const now = streamOf([...common, ...instead, ...further])
    for (const group of [ledger, stateGroup]) {
      const parts = { store, log: memoryEventLog(), state: memoryStateStore() }
      const first = new World<Store>(group, parts)
      await first.hear(before.wire)
      await first.live(before.canonical.length, { limits: { flushMessagesMax: 5 } })
      const again = { store, log: memoryEventLog(), state: memoryStateStore() }
      const second = new World<Store>(group, again)
      await second.hear(now.wire)
      await second.live(now.canonical.length, { limits: { flushMessagesMax: 5 } })
      const own = tables.filter((table) => table.group === group.name)
      const calm = await calmLife(group, own, now)
      expect(await tablesOfStore(store, own)).toEqual(calm.tables)
    }
    await drop()
  })
  await fc.assert(property, { seed: testSeed, numRuns })
}, 240_000)
