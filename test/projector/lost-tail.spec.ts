import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withStatements } from '../../deploy/print/lost-tail-page.ts'
import { queryEngine } from '../../libs/adapters/clickhouse/query-engine.ts'
import type { Store } from '../../libs/ports/store.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import type { BlocksGroup } from '../../libs/projections/group.ts'
import { ledger } from '../../libs/projections/ledger/ledger.ts'
import { stateGroup } from '../../libs/projections/state/state-group.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { foldedTables } from '../../libs/tables/tables/all-tables.ts'
import { calmLife } from '../../services/projector/testing/expectations.ts'
import { type Stream, streamEvents, streamOf } from '../../services/projector/testing/stream.ts'
import { World } from '../../services/projector/testing/world.ts'
import { testStore } from '../support/engine.ts'
import { testSeed } from '../support/seed.ts'
import { tablesOfStore } from './tables-of-store.ts'

const ownOf = (group: BlocksGroup) => foldedTables.filter((table) => table.group === group.name)
const numRuns = Number(process.env.FOLDSCAN_TEST_RUNS ?? 3)
const few = { flushMessagesMax: 5 }
const apply = (...senders: number[]) => ({ kind: 'apply' as const, senders })

async function worldOf(group: BlocksGroup, store: Store, { wire }: Stream): Promise<World<Store>> {
  const world = new World<Store>(group, {
    store,
    eventLog: memoryEventLog(),
    state: memoryStateStore(),
  })
  await world.hear(wire)
  return world
}

async function expectTablesOf(group: BlocksGroup, store: Store, log: Stream): Promise<void> {
  const calm = await calmLife(group, ownOf(group), log)
  expect(await tablesOfStore(store, ownOf(group))).toEqual(calm.tables)
}

const page = readFileSync(new URL(`../../${runbooks.lostTail}`, import.meta.url), 'utf8')

test('the statements of the page are those that are printed: run npm run print', () =>
  expect(page).toBe(withStatements(page)))

/** The statements of the page for a group, in a database. */
function statementsOf(group: BlocksGroup, database: string): readonly string[] {
  const [, block = ''] = new RegExp(`-- Group ${group.name}\n([^]*?)\n\n`).exec(page) ?? []
  const statements = block
    .split(';')
    .map((one) => one.trim().replaceAll('foldscan.', `${database}.`))
  return statements.filter((one) => one !== '')
}

const groups = [ledger, stateGroup]

test.each(groups)('the page empties each table of $name', (group) => {
  const emptied = statementsOf(group, 'd').flatMap(
    (sql) => /^TRUNCATE TABLE d\.(\w+)/.exec(sql)?.[1] ?? [],
  )
  expect(emptied.sort()).toEqual(
    ownOf(group)
      .map(({ stored }) => stored)
      .sort(),
  )
})

test(`the end of the log was lost: its group ends, and after the statements of the page the engine has the rows of the log that is there (seed ${testSeed})`, async () => {
  const logs = fc.record({
    common: streamEvents(30),
    lost: streamEvents(12),
    instead: streamEvents(12),
    killedAtInsert: fc.option(fc.nat(40), { nil: undefined }),
  })
  const property = fc.asyncProperty(logs, async ({ common, lost, instead, killedAtInsert }) => {
    const { store, address, database, drop } = await testStore()
    // A log that begins with another message is another log.
    const before = streamOf([apply(1), ...common, ...lost])
    // Only where the log has come as far as the tables can they be compared.
    const further = before.canonical.map(() => apply(2))
    const now = streamOf([apply(1), ...common, ...instead, ...further])
    for (const group of groups) {
      const first = await worldOf(group, store, before)
      await first.live(before.canonical.length, { limits: few, killedAtInsert })
      const second = await worldOf(group, store, now)
      const live = () => second.live(now.canonical.length, { limits: few })
      await live().catch(async (error: Error) => {
        expect(error.message).toContain(runbooks.lostTail)
        for (const sql of statementsOf(group, database)) await queryEngine(address, sql)
        second.state = memoryStateStore()
        await live()
      })
      await expectTablesOf(group, store, now)
    }
    await drop()
  })
  await fc.assert(property, { seed: testSeed, numRuns })
}, 240_000)

/** Ten messages in common, then others. */
const common = Array.from({ length: 10 }, (_, at) => apply(1, 2 + (at % 3)))
const old = streamOf([...common, apply(8), apply(9, 9, 9), apply(7), apply(9), apply(8)])
const now = streamOf([...common, ...Array.from({ length: 12 }, () => apply(3))])

test('a killed flush whose messages are lost then is found, though the volume is there', async () => {
  const { store, drop } = await testStore()
  const world = await worldOf(ledger, store, old)
  // Two flushes of five messages, each with five steps; the third ends behind its rows.
  await world.live(old.canonical.length, { limits: few, killedAtStep: 10 })
  const next = await worldOf(ledger, store, now)
  next.state = world.state
  await expect(next.live(now.canonical.length, { limits: few })).rejects.toThrow(runbooks.lostTail)
  await drop()
})

test('another topic is folded in the place of the tables after the statements of the page', async () => {
  const { store, address, database, drop } = await testStore()
  const before = streamOf([apply(8), apply(9, 9), apply(7)])
  const log = streamOf([apply(1), apply(9), apply(5), apply(5)])
  await (await worldOf(stateGroup, store, before)).live(before.canonical.length)
  const another = await worldOf(stateGroup, store, log)
  await expect(another.live(log.canonical.length)).rejects.toThrow('is another log than the one')
  for (const sql of statementsOf(stateGroup, database)) await queryEngine(address, sql)
  another.state = memoryStateStore()
  await another.live(log.canonical.length)
  await expectTablesOf(stateGroup, store, log)
  await drop()
})
