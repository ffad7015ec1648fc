import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import { calmLife, expectAllAnnounced } from './testing/expectations.ts'
import { play, scenarios } from './testing/scenarios.ts'
import { streamEvents, streamOf } from './testing/stream.ts'
import { sent, toyGroup } from './testing/toy-group.ts'
import { truthOf } from './testing/toy-truth.ts'
import { memoryWorld } from './testing/world.ts'

// The same with the real groups, on more and longer streams: test/projector.
const seed = Number(process.env.FOLDSCAN_TEST_SEED ?? Date.now() % 1_000_000_000)
const runs = { seed, numRuns: Number(process.env.FOLDSCAN_TEST_RUNS ?? 10) }

const row = z.object({ sender: z.string(), count: z.number() })

describe(`a projector (seed ${seed})`, () => {
  test('restores by undo what a copy of the state would restore', async () => {
    const property = fc.asyncProperty(streamEvents(60), async (events) => {
      const stream = streamOf(events)
      const { tables } = await calmLife(toyGroup, [sent], stream)
      const rows = Object.values(tables.sent ?? {}).map((text) => row.parse(JSON.parse(text)))
      const counts = Object.fromEntries(rows.map(({ sender, count }) => [sender, count]))
      expect(counts).toEqual(truthOf(stream.canonical))
    })
    await fc.assert(property, { ...runs, numRuns: runs.numRuns * 2 })
  })

  test.each([
    'noise in the log',
    'kills between any two steps and inserts',
    'late instances and lost volumes',
    'power losses of the store',
  ] as const)('is not moved by %s', async (trouble) => {
    const property = fc.asyncProperty(scenarios(trouble, 25), async (scenario) => {
      const world = memoryWorld(toyGroup, [sent])
      const stream = await play(world, scenario, memoryStateStore)
      const calm = await calmLife(toyGroup, [sent], stream)
      expect(world.store.readAll()).toEqual(calm.tables)
      await expectAllAnnounced(world, calm)
    })
    await fc.assert(property, runs)
  })
})
