import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { memoryStateStore } from '../../libs/adapters/memory/memory-state-store.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import type { ProjectorLimits } from './limits.ts'
import { type Stream, streamEvents, streamOf } from './testing/stream.ts'
import { sent, toyGroup } from './testing/toy-group.ts'
import { truthOf } from './testing/toy-truth.ts'
import { Killed, World } from './testing/world.ts'

const seed = Number(process.env.FOLDSCAN_TEST_SEED ?? Date.now() % 1_000_000_000)
const runs = { seed, numRuns: Number(process.env.FOLDSCAN_TEST_RUNS ?? 20) }

const limits = fc.record<Partial<ProjectorLimits>>({
  flushMessagesMax: fc.integer({ min: 1, max: 12 }),
  readMessagesMax: fc.integer({ min: 1, max: 9 }),
  liveMessagesMax: fc.constantFrom(0, 3, 1000),
  bucketsMax: fc.constantFrom(1, 1000),
  entitiesCachedMax: fc.constantFrom(1, 100),
})

/** Tables after one calm life on the messages that count; they equal the naive truth. */
async function cleanRun({ canonical }: Stream) {
  const world = new World(toyGroup, [sent])
  await world.hear(canonical.map(encodeMessage))
  await world.live(canonical.length)
  const rows = [...world.store.read(sent.name).values()].map((text) => row.parse(JSON.parse(text)))
  const counts = Object.fromEntries(rows.map(({ sender, count }) => [sender, count]))
  expect(counts).toEqual(truthOf(canonical))
  return world.store.readAll()
}

const row = z.object({ sender: z.string(), count: z.number() })

/** By position, the buckets that its rows move: what must be announced at it or later. */
async function bucketsMoved({ canonical }: Stream): Promise<Map<number, number[]>> {
  const world = new World(toyGroup, [sent])
  await world.hear(canonical.map(encodeMessage))
  await world.live(canonical.length, { limits: { flushMessagesMax: 1, liveMessagesMax: 1e9 } })
  const moved = new Map<number, number[]>()
  for (const one of await world.announcements()) {
    if (one.moved !== 'everything') moved.set(one.position, one.moved[sent.name] ?? [])
  }
  return moved
}

/**
 * No announcement is lost: for every position and every bucket that its rows move, an
 * announcement of that or a later position names the bucket, or says "everything".
 */
async function expectAllAnnounced(world: World, stream: Stream): Promise<void> {
  const announced = await world.announcements()
  for (const [position, buckets] of await bucketsMoved(stream)) {
    const later = announced.filter((one) => one.position >= position)
    expect(later.length, `position ${position} is announced`).toBeGreaterThan(0)
    for (const bucket of buckets) {
      const isNamed = later.some(
        ({ moved }) => moved === 'everything' || moved[sent.name]?.includes(bucket),
      )
      expect(isNamed, `bucket ${bucket} of position ${position} is announced`).toBe(true)
    }
  }
}

describe(`a projector (seed ${seed})`, () => {
  test('writes the rows of the messages that count, however the log is delivered', async () => {
    const property = fc.asyncProperty(streamEvents(40), limits, async (events, some) => {
      const stream = streamOf(events)
      const world = new World(toyGroup, [sent])
      await world.hear(stream.wire)
      await world.live(stream.canonical.length, { limits: some })
      expect(world.store.readAll()).toEqual(await cleanRun(stream))
      await expectAllAnnounced(world, stream)
    })
    await fc.assert(property, runs)
  })

  test('is not moved by kills between any two steps, nor in the middle of its inserts', async () => {
    const kills = fc.array(fc.nat(14), { maxLength: 12 })
    const property = fc.asyncProperty(
      fc.record({ events: streamEvents(30), limits, kills, insertKills: kills }),
      async (scenario) => {
        const stream = streamOf(scenario.events)
        const world = new World(toyGroup, [sent])
        await world.hear(stream.wire)
        for (const [at, step] of scenario.kills.entries()) {
          await mayBeKilled(world, stream, {
            limits: scenario.limits,
            step,
            insert: scenario.insertKills[at] ?? 1e9,
          })
        }
        await world.live(stream.canonical.length, { limits: scenario.limits })
        expect(world.store.readAll()).toEqual(await cleanRun(stream))
        await expectAllAnnounced(world, stream)
      },
    )
    await fc.assert(property, runs)
  })

  test('is not moved by a second, late instance, a lost volume, or the whole log again', async () => {
    const life = fc.record({ step: fc.nat(20), instance: fc.nat(2), isLost: fc.boolean() })
    const property = fc.asyncProperty(
      fc.record({
        events: streamEvents(30),
        limits,
        lives: fc.array(life, { maxLength: 8 }),
        again: fc.nat(60),
      }),
      async (scenario) => {
        const stream = streamOf(scenario.events)
        const world = new World(toyGroup, [sent])
        await world.hear([...stream.wire, ...stream.wire.slice(-scenario.again)])
        const volumes = [memoryStateStore(), memoryStateStore(), memoryStateStore()]
        for (const { step, instance, isLost } of scenario.lives) {
          if (isLost) volumes[instance] = memoryStateStore()
          world.state = volumes[instance] ?? world.state
          await mayBeKilled(world, stream, { limits: scenario.limits, step, insert: 1e9 })
        }
        for (const state of volumes) await world.live(stream.canonical.length, { state })
        expect(world.store.readAll()).toEqual(await cleanRun(stream))
        await expectAllAnnounced(world, stream)
      },
    )
    await fc.assert(property, runs)
  })

  test('writes again what a power loss took from the store', async () => {
    const loss = fc.record({ step: fc.nat(20), inserts: fc.nat(30) })
    const property = fc.asyncProperty(
      fc.record({ events: streamEvents(30), limits, losses: fc.array(loss, { maxLength: 6 }) }),
      async (scenario) => {
        const stream = streamOf(scenario.events)
        const world = new World(toyGroup, [sent])
        await world.hear(stream.wire)
        for (const { step, inserts } of scenario.losses) {
          await mayBeKilled(world, stream, { limits: scenario.limits, step, insert: 1e9 })
          world.store.loseLast(inserts)
        }
        await world.live(stream.canonical.length, { limits: scenario.limits })
        expect(world.store.readAll()).toEqual(await cleanRun(stream))
      },
    )
    await fc.assert(property, runs)
  })
})

/** One life that ends at the `step`th step or the `insert`th insert, if it comes so far. */
async function mayBeKilled(
  world: World,
  { canonical }: Stream,
  kill: { limits: Partial<ProjectorLimits>; step: number; insert: number },
): Promise<void> {
  let steps = 0
  let inserts = 0
  const between = async () => {
    if (steps++ === kill.step) throw new Killed('between two steps')
  }
  world.store.beforeInsert = () => {
    if (inserts++ === kill.insert) throw new Killed('before an insert')
  }
  try {
    await world.live(canonical.length, { limits: kill.limits, between })
  } catch (error) {
    if (!(error instanceof Killed)) throw error
  } finally {
    world.store.beforeInsert = () => {}
  }
}
