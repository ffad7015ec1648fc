import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { memoryStateStore } from '../../libs/adapters/memory/memory-state-store.ts'
import { ledger } from '../../libs/projections/ledger.ts'
import { stateGroup } from '../../libs/projections/state-group.ts'
import { readModels } from '../../libs/read-models/registry.ts'
import { calmLife, expectAllAnnounced } from '../../services/projector/testing/expectations.ts'
import { play, scenarios } from '../../services/projector/testing/scenarios.ts'
import { memoryWorld } from '../../services/projector/testing/world.ts'

const seed = Number(process.env.FOLDSCAN_TEST_SEED ?? Date.now() % 1_000_000_000)
const runs = { seed, numRuns: Number(process.env.FOLDSCAN_TEST_RUNS ?? 40) }

const tables = readModels.map(({ table }) => table).filter(({ name }) => name !== 'progress')

describe.each([ledger, stateGroup])(`group $name (seed ${seed})`, (group) => {
  test.each([
    'noise in the log',
    'kills between any two steps and inserts',
    'late instances and lost volumes',
    'power losses of the store',
  ] as const)('is not moved by %s', async (trouble) => {
    const property = fc.asyncProperty(scenarios(trouble, 40), async (scenario) => {
      const world = memoryWorld(group, tables)
      const stream = await play(world, scenario, memoryStateStore)
      const calm = await calmLife(group, tables, stream)
      expect(world.store.readAll()).toEqual(calm.tables)
      await expectAllAnnounced(world, calm)
    })
    await fc.assert(property, runs)
  })
})
