import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../../libs/ports/store.ts'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../../libs/ports/testing/memory-state-store.ts'
import { conflicts } from '../../../libs/queries/reading/versions.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { startProjector } from '../projector.ts'
import { calmLife } from '../testing/expectations.ts'
import { afterLoss, block, blocks, seen, streamed } from '../testing/lost-tail.ts'
import type { MemoryStore } from '../testing/memory-store.ts'
import { streamEvents, streamOf } from '../testing/stream.ts'
import { sent, toyGroup } from '../testing/toy-group.ts'
import { memoryWorld, World } from '../testing/world.ts'

const seed = Number(process.env.FOLDSCAN_TEST_SEED ?? Date.now() % 1_000_000_000)
const runs = { seed, numRuns: Number(process.env.FOLDSCAN_TEST_RUNS ?? 10) }
const few = { flushMessagesMax: 4 }

const before = [...blocks(7), seen(8, 7), block(9, 8), block(10, 9), block(11, 10)]
/** The same from message 8 on, without what was observed, and with another end. */
const after = [...blocks(9), seen(10, 9), block(11, 10), block(12, 11)]
const ninth = `0x${'9'.padStart(40, '0')}`
/** Without anything observed: no message is where it was. */
const shifted = blocks(12)

/** What ends a life; null if it comes to that position. */
async function failure(world: World, position: number, limits = {}): Promise<string | null> {
  const projector = world.start({ limits })
  const said = await projector.waitFor(position).then(
    () => null,
    (error: Error) => error.message,
  )
  await projector.stop()
  return said
}

/** As `deploy/runbooks/lost-tail.md` says. */
function emptied(world: World<MemoryStore>): void {
  for (const name of [...world.store.names, 'progress']) world.store.lose(name, () => true)
  world.state = memoryStateStore()
}

describe(`acknowledged messages at the end of the log are lost, others take their place (seed ${seed})`, () => {
  test.each([
    ['kept', true],
    ['emptied', false],
  ])(
    'a group with its volume %s ends, names the page, and changes no row',
    async (_what, isKept) => {
      const world = await afterLoss(streamed(before))
      const rows = world.store.readAll()
      await world.hear(streamed(isKept ? shifted : after).wire)
      if (!isKept) world.state = memoryStateStore()
      expect(await failure(world, 12)).toContain(runbooks.lostTail)
      expect(world.store.readAll()).toEqual(rows)
    },
  )

  test('a message in slices writes no mark over one that differs: each start ends', async () => {
    const common = blocks(8)
    const old = streamed([...common, seen(9, 8), block(10, 9)])
    const now = streamed([...common, block(9, 9), block(10, 10), block(11, 11)])
    const world = await afterLoss(old, few, { killedAtStep: 10 })
    await world.hear(now.wire)
    const found: unknown[] = []
    const note = (conflict: unknown) => found.push(conflict)
    conflicts.subscribe(note)
    for (const limits of [{ slicedWeightMin: 0 }, few]) {
      world.state = memoryStateStore()
      expect(await failure(world, 11, limits)).toContain(runbooks.lostTail)
    }
    conflicts.unsubscribe(note)
    expect(found).toEqual([])
  })

  test('once the tables are emptied, as the page says, the rows are those of the log', async () => {
    const world = await afterLoss(streamed(before))
    await world.hear(streamed(after).wire)
    emptied(world)
    await world.live(after.length)
    const calm = await calmLife(toyGroup, [sent], streamed(after))
    expect(world.store.readAll()).toEqual(calm.tables)
  })

  test('a replica that is late hides no rows of lost messages', async () => {
    const world = await afterLoss(streamed(before), few)
    const late = await afterLoss(streamed(before.slice(0, 4)), few)
    await world.hear(streamed(shifted).wire)
    const { eventLog, store } = world
    let questions = 0
    const replicas: Store = {
      insert: (table, columns, rows) => store.insert(table, columns, rows),
      query(sql) {
        if (sql.includes('FROM progress')) questions += 1
        const isFirst = questions === 1 && sql.includes('FROM progress')
        return (isFirst ? late.store : store).query(sql)
      },
      execute: () => store.execute(),
      ping: () => store.ping(),
      close: () => store.close(),
    }
    const parts = { group: toyGroup, eventLog, store: replicas, state: memoryStateStore() }
    const projector = startProjector({ ...parts, tables: store.names })
    expect((await projector.failed).message).toContain(runbooks.lostTail)
    await projector.stop()
  })

  test.each([
    ['kept', true],
    ['emptied', false],
  ])(
    'rows above progress, whose messages are lost then, are found; volume %s',
    async (_what, isKept) => {
      const common = blocks(8)
      const old = streamed([...common, seen(9, 8), block(10, 9)])
      const now = streamed([...common, block(9, 9), block(10, 10), block(11, 11)])
      // Two flushes of four, of five steps each; the third ends behind its rows.
      const world = await afterLoss(old, few, { killedAtStep: 10 })
      expect(Object.keys(world.store.readAll().sent ?? {})).toContain(ninth)
      await world.hear(now.wire)
      if (!isKept) world.state = memoryStateStore()
      expect(await failure(world, 11)).toContain(runbooks.lostTail)
    },
  )

  test('marks of flushes that begin elsewhere and end alike are the same row', async () => {
    const found: unknown[] = []
    const note = (conflict: unknown) => found.push(conflict)
    conflicts.subscribe(note)
    const world = memoryWorld(toyGroup, [sent])
    await world.hear(streamed(blocks(8)).wire)
    // One flush of eight; then four of two, of five steps each: the last one ends after its rows.
    await world.live(8, { limits: { flushMessagesMax: 8 }, killedAtStep: 0 })
    await world.live(8, { limits: { flushMessagesMax: 2 }, killedAtStep: 15 })
    await world.live(8)
    conflicts.unsubscribe(note)
    expect(found).toEqual([])
  })

  test('whatever was lost and came instead, rows of other messages are found', async () => {
    const logs = fc.record({
      common: streamEvents(12),
      lost: streamEvents(6),
      instead: streamEvents(6),
      flushMessagesMax: fc.integer({ min: 1, max: 5 }),
      killedAtInsert: fc.option(fc.nat(30), { nil: undefined }),
      // The mark of the next flush is written while one is under way.
      stepTurns: fc.nat(40),
    })
    // A log that begins with another message is another log.
    const start = { kind: 'apply' as const, senders: [1] }
    let found = 0
    const property = fc.asyncProperty(logs, async ({ common, lost, instead, ...life }) => {
      const { flushMessagesMax, killedAtInsert, stepTurns } = life
      const limits = { flushMessagesMax }
      const old = streamOf([start, ...common, ...lost])
      const world = await afterLoss(old, limits, { killedAtInsert, stepTurns })
      const rows = world.store.readAll()
      // Only where the log has come as far as the tables can they be compared.
      const further = old.canonical.map(() => ({ kind: 'apply' as const, senders: [2] }))
      const now = streamOf([start, ...common, ...instead, ...further])
      await world.hear(now.wire)
      world.state = memoryStateStore()
      const sentence = await failure(world, now.canonical.length, limits)
      if (sentence !== null) {
        found += 1
        expect(sentence).toContain(runbooks.lostTail)
        // A killed flush is written again as far as the log is the same.
        if (killedAtInsert === undefined) expect(world.store.readAll()).toEqual(rows)
        emptied(world)
        await world.live(now.canonical.length, { limits })
      }
      const calm = await calmLife(toyGroup, [sent], now)
      expect(world.store.readAll()).toEqual(calm.tables)
    })
    const kept = {
      lost: [{ kind: 'revert' as const, depth: 2 }],
      flushMessagesMax: 1,
      killedAtInsert: undefined,
      stepTurns: 0,
    }
    const blank = { kind: 'apply' as const, senders: [] }
    const gap = { kind: 'gap' as const, blocks: 1 }
    await fc.assert(property, {
      ...runs,
      examples: [[{ ...kept, common: [blank, blank], instead: [gap] }]],
    })
    expect(found).toBeGreaterThan(0)
  })

  test('a group that reads meanwhile ends, too, when what comes does not follow', async () => {
    const world = memoryWorld(toyGroup, [sent])
    await world.hear(streamed(before).wire)
    const held = { eventLog: world.eventLog }
    const eventLog = new Proxy(world.eventLog, {
      get: (_, name) => {
        const value: unknown = Reflect.get(held.eventLog, name)
        return typeof value === 'function' ? value.bind(held.eventLog) : value
      },
    })
    const reading = new World(toyGroup, { ...world, eventLog })
    const projector = reading.start()
    await projector.waitFor(before.length)
    const old = held.eventLog
    held.eventLog = memoryEventLog()
    await held.eventLog.append('blocks', streamed(shifted).wire.map(said))
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
