import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { memoryEventLog } from '../../libs/adapters/memory/memory-event-log.ts'
import { memoryStateStore } from '../../libs/adapters/memory/memory-state-store.ts'
import type { Store } from '../../libs/ports/store.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { type Projector, startProjector } from './projector.ts'
import { calmLife } from './testing/expectations.ts'
import type { MemoryStore } from './testing/memory-store.ts'
import { applied, hashOf, observed } from './testing/messages.ts'
import { type Stream, streamEvents, streamOf } from './testing/stream.ts'
import { sent, toyGroup } from './testing/toy-group.ts'
import { memoryWorld, World } from './testing/world.ts'

const seed = Number(process.env.FOLDSCAN_TEST_SEED ?? Date.now() % 1_000_000_000)
const runs = { seed, numRuns: Number(process.env.FOLDSCAN_TEST_RUNS ?? 10) }
const few = { flushMessagesMax: 4 }

const block = (sequence: number, number: number) =>
  applied(sequence, {
    number,
    hash: hashOf(`a${number}`),
    parentHash: hashOf(`a${number - 1}`),
    senders: [1, 1 + (number % 3)],
  })
const blocks = (count: number) => Array.from({ length: count }, (_, at) => block(at + 1, at + 1))
const seen = (sequence: number, number: number) =>
  observed(sequence, { block: number, hash: hashOf(`a${number}`), holders: [9] })

const before = [...blocks(7), seen(8, 7), block(9, 8), block(10, 9), block(11, 10)]
/** The same from message 8 on, without what was observed, and with another end. */
const after = [...blocks(9), seen(10, 9), block(11, 10), block(12, 11)]
/** Without anything observed: no message is where it was. */
const shifted = blocks(12)
const streamed = (canonical: readonly BlocksMessage[]): Stream => ({
  canonical,
  wire: canonical.map(encodeMessage),
})

/** What was folded of one log, in a world whose log is another one from somewhere on. */
async function afterLoss(old: Stream, limits = {}): Promise<World<MemoryStore>> {
  const world = memoryWorld(toyGroup, [sent])
  await world.hear(old.wire)
  await world.live(old.canonical.length, { limits })
  return new World(toyGroup, { ...world, log: memoryEventLog() })
}

describe(`acknowledged messages at the end of the log are lost, others take their place (seed ${seed})`, () => {
  test('a group without its volume writes the rows of the log, and removes those of the lost', async () => {
    const world = await afterLoss(streamed(before))
    const { wire, canonical } = streamed(after)
    await world.hear(wire)
    world.state = memoryStateStore()
    await world.live(canonical.length)
    const calm = await calmLife(toyGroup, [sent], streamed(after))
    expect(world.store.readAll()).toEqual(calm.tables)
    expect((await world.announcements())[0]?.moved).toBe('everything')
  })

  test('a kill anywhere in between changes nothing', async () => {
    const calm = await calmLife(toyGroup, [sent], streamed(after))
    const steps = Array.from({ length: 16 }, (_, at) => ({ killedAtStep: at }))
    const writes = Array.from({ length: 10 }, (_, at) => ({ killedAtInsert: at }))
    for (const kill of [...steps, ...writes]) {
      const world = await afterLoss(streamed(before), few)
      await world.hear(streamed(after).wire)
      world.state = memoryStateStore()
      await world.live(after.length, { ...kill, limits: few })
      await world.live(after.length)
      expect(world.store.readAll(), JSON.stringify(kill)).toEqual(calm.tables)
    }
  })

  test('no row is missing that another process of the group wrote before they were removed', async () => {
    const world = await afterLoss(streamed(before))
    const { wire, canonical } = streamed(after)
    await world.hear(wire.slice(0, before.length))
    const { log, store } = world
    const others: Projector[] = []
    const slow: Store = {
      insert: (table, columns, rows) => store.insert(table, columns, rows),
      query: (sql) => store.query(sql),
      async execute(sql) {
        const [other = new World(toyGroup, { ...world, state: memoryStateStore() }).start()] =
          others
        others[0] = other
        await other.waitFor(before.length)
        await store.execute(sql)
        if (!sql.includes('TABLE progress')) return
        await world.hear(wire.slice(before.length))
        await other.waitFor(canonical.length)
      },
      ping: () => store.ping(),
      close: () => store.close(),
    }
    const parts = { group: toyGroup, log, store: slow, state: memoryStateStore() }
    const projector = startProjector({ ...parts, tables: store.names })
    await projector.waitFor(canonical.length)
    await Promise.all([projector, ...others].map((each) => each.stop()))
    const calm = await calmLife(toyGroup, [sent], streamed(after))
    expect(store.readAll()).toEqual(calm.tables)
  })

  test('whatever was lost and came instead, the rows are those of the log', async () => {
    const logs = fc.record({
      common: streamEvents(12),
      lost: streamEvents(6),
      instead: streamEvents(6),
      flushMessagesMax: fc.integer({ min: 1, max: 5 }),
    })
    const property = fc.asyncProperty(logs, async ({ common, lost, instead, flushMessagesMax }) => {
      const old = streamOf([...common, ...lost])
      const world = await afterLoss(old, { flushMessagesMax })
      // Only where the log has come as far as the tables can they be compared.
      const further = old.canonical.map(() => ({ kind: 'apply' as const, senders: [2] }))
      const now = streamOf([...common, ...instead, ...further])
      await world.hear(now.wire)
      world.state = memoryStateStore()
      await world.live(now.canonical.length, { limits: { flushMessagesMax } })
      const calm = await calmLife(toyGroup, [sent], now)
      expect(world.store.readAll()).toEqual(calm.tables)
    })
    const kept = { lost: [{ kind: 'revert' as const, depth: 2 }], flushMessagesMax: 1 }
    const blank = { kind: 'apply' as const, senders: [] }
    const gap = { kind: 'gap' as const, blocks: 1 }
    await fc.assert(property, {
      ...runs,
      examples: [[{ ...kept, common: [blank, blank], instead: [gap] }]],
    })
  })

  test('a group that has its volume ends, and names the page to read', async () => {
    const world = await afterLoss(streamed(before))
    await world.hear(streamed(shifted).wire)
    const projector = world.start()
    const error = await projector.failed
    expect(error.message).toContain('topic blocks does not hold what this volume was folded from')
    expect(error.message).toContain(runbooks.lostTail)
    await projector.stop()
  })

  test('a group that reads meanwhile ends, too, when what comes does not follow', async () => {
    const world = memoryWorld(toyGroup, [sent])
    await world.hear(streamed(before).wire)
    const held = { log: world.log }
    const log = new Proxy(world.log, {
      get: (_, name) => {
        const value: unknown = Reflect.get(held.log, name)
        return typeof value === 'function' ? value.bind(held.log) : value
      },
    })
    const reading = new World(toyGroup, { ...world, log })
    const projector = reading.start()
    await projector.waitFor(before.length)
    const old = held.log
    held.log = memoryEventLog()
    await held.log.append('blocks', streamed(shifted).wire.map(said))
    await old.append('blocks', [said(new Uint8Array())])
    expect((await projector.failed).message).toContain(runbooks.lostTail)
    await projector.stop()
  })

  test('the same messages published again change nothing: nobody ends', async () => {
    const world = await afterLoss(streamed(before))
    await world.hear(streamed([...before, block(12, 11)]).wire)
    await world.live(12)
    const calm = await calmLife(toyGroup, [sent], streamed([...before, block(12, 11)]))
    expect(world.store.readAll()).toEqual(calm.tables)
  })
})

const said = (value: Uint8Array) => ({ key: '1', value })
