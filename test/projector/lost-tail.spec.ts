import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { queryEngine } from '../../libs/adapters/clickhouse/query-engine.ts'
import { memoryEventLog } from '../../libs/adapters/memory/memory-event-log.ts'
import { memoryStateStore } from '../../libs/adapters/memory/memory-state-store.ts'
import type { Store } from '../../libs/ports/store.ts'
import type { BlocksGroup } from '../../libs/projections/group.ts'
import { ledger } from '../../libs/projections/ledger.ts'
import { stateGroup } from '../../libs/projections/state-group.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { foldedTables } from '../../libs/tables/all-tables.ts'
import { calmLife } from '../../services/projector/testing/expectations.ts'
import { type Stream, streamEvents, streamOf } from '../../services/projector/testing/stream.ts'
import { type Life, World } from '../../services/projector/testing/world.ts'
import { type TestStore, testStore } from '../support/engine.ts'
import { testSeed } from '../support/seed.ts'
import { tablesOfStore } from './tables-of-store.ts'

const ownOf = (group: BlocksGroup) => foldedTables.filter((table) => table.group === group.name)
const numRuns = Number(process.env.FOLDSCAN_TEST_RUNS ?? 3)
const few = { flushMessagesMax: 5 }
const apply = (...senders: number[]) => ({ kind: 'apply' as const, senders })

async function worldOf(group: BlocksGroup, store: Store, { wire }: Stream): Promise<World<Store>> {
  const world = new World<Store>(group, {
    store,
    log: memoryEventLog(),
    state: memoryStateStore(),
  })
  await world.hear(wire)
  return world
}

async function expectTablesOf(group: BlocksGroup, store: Store, log: Stream): Promise<void> {
  const calm = await calmLife(group, ownOf(group), log)
  expect(await tablesOfStore(store, ownOf(group))).toEqual(calm.tables)
}

test(`the end of the log was lost and the volume emptied: the engine has the rows of the log that is there (seed ${testSeed})`, async () => {
  const logs = fc.record({
    common: streamEvents(30),
    lost: streamEvents(12),
    instead: streamEvents(12),
    killedAtInsert: fc.option(fc.nat(40), { nil: undefined }),
  })
  const property = fc.asyncProperty(logs, async ({ common, lost, instead, killedAtInsert }) => {
    const { store, drop } = await testStore()
    // A log that begins with another message is another log.
    const before = streamOf([apply(1), ...common, ...lost])
    // Only where the log has come as far as the tables can they be compared.
    const further = before.canonical.map(() => apply(2))
    const now = streamOf([apply(1), ...common, ...instead, ...further])
    for (const group of [ledger, stateGroup]) {
      const first = await worldOf(group, store, before)
      await first.live(before.canonical.length, { limits: few, killedAtInsert })
      const second = await worldOf(group, store, now)
      await second.live(now.canonical.length, { limits: few })
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

test('a killed flush whose messages are lost then leaves no row, though the volume is there', async () => {
  const { store, drop } = await testStore()
  const world = await worldOf(ledger, store, old)
  // Two flushes of five messages, each with five steps; the third ends behind its rows.
  await world.live(old.canonical.length, { limits: few, killedAtStep: 10 })
  const next = await worldOf(ledger, store, now)
  next.state = world.state
  await next.live(now.canonical.length, { limits: few })
  await expectTablesOf(ledger, store, now)
  await drop()
})

/** A group that finds rows of lost messages, on an engine that cannot remove them yet. */
async function whereRowsCannotGo(hinder: (place: TestStore) => Promise<void>) {
  const place = await testStore()
  const { store } = place
  const long = Array.from({ length: 32 }, () => apply(1))
  const before = streamOf([...long, apply(8), apply(9)])
  const log = streamOf([...long, apply(3), apply(2), apply(4), apply(4)])
  const first = await worldOf(stateGroup, store, before)
  // A mark is kept of 32, two messages before the end.
  const many = { flushMessagesMax: 16 }
  await first.live(before.canonical.length, { limits: many })
  await hinder(place)
  const second = await worldOf(stateGroup, store, log)
  const failed = async (limits: Life['limits']): Promise<string> => {
    const projector = second.start({ limits: { ...many, ...limits } })
    const error = await projector.failed
    await projector.stop()
    return error.message
  }
  const recovers = async () => {
    await second.live(log.canonical.length, { limits: many })
    await expectTablesOf(stateGroup, store, log)
    await place.drop()
  }
  const asked = (sql: string) => queryEngine(place.address, sql)
  const mutations = () =>
    asked(
      `SELECT extract(command, 'position > [0-9]+') FROM system.mutations WHERE table = 'balances'
       AND database = '${place.database}' AND command LIKE '%foldscan-%' ORDER BY create_time`,
    )
  return { asked, failed, recovers, mutations, database: place.database }
}

test('rows that ClickHouse does not remove in time: the next life waits again, and keeps what is proven', async () => {
  const { asked, failed, recovers, mutations, database } = await whereRowsCannotGo(
    async ({ address, database: of }) =>
      void (await queryEngine(address, `SYSTEM STOP MERGES ${of}.balances`)),
  )
  for (let life = 0; life < 2; life++) {
    const sentence = await failed({ removalWaitMsMax: 0 })
    expect(sentence).toMatch(/not done within 0 ms in .*balances.*, [1-9]\d* parts left/)
    expect(sentence).toContain(runbooks.lostTail)
  }
  const [one, two] = (await mutations()).trim().split('\n')
  expect(one).toBe('position > 32')
  expect(two).toBe(one)
  await asked(`SYSTEM START MERGES ${database}.balances`)
  await recovers()
})

test('rows that ClickHouse fails to remove: the error gives the reason, and no mutation of ours stays', async () => {
  const { asked, failed, recovers, mutations, database } = await whereRowsCannotGo(
    async ({ address, database: of }) =>
      // One before ours that fails, so that ours does, too.
      void (await queryEngine(
        address,
        `ALTER TABLE ${of}.balances UPDATE value = throwIf(1) WHERE 1 SETTINGS mutations_sync = 0`,
      )),
  )
  const sentence = await failed({ removalFailedPollsMax: 3 })
  expect(sentence).toContain('of balances fails: ')
  expect(sentence).toContain("Value passed to 'throwIf' function is non-zero")
  expect(await mutations()).toBe('')
  await asked(`KILL MUTATION WHERE database = '${database}' AND table = 'balances' SYNC`)
  await recovers()
})

test('another topic is folded in the place of the tables by the statement of the runbook', async () => {
  const page = readFileSync(new URL(`../../${runbooks.lostTail}`, import.meta.url), 'utf8')
  const [statement = 'none'] = /ALTER TABLE foldscan.progress[^;]*/.exec(page) ?? []
  const { store, address, database, drop } = await testStore()
  const before = streamOf([apply(8), apply(9, 9), apply(7)])
  const log = streamOf([apply(1), apply(9), apply(5), apply(5)])
  await (await worldOf(stateGroup, store, before)).live(before.canonical.length)
  const another = await worldOf(stateGroup, store, log)
  await expect(another.live(log.canonical.length)).rejects.toThrow('is another log than the one')
  await queryEngine(address, statement.replaceAll('foldscan.', `${database}.`))
  another.state = memoryStateStore()
  await another.live(log.canonical.length)
  await expectTablesOf(stateGroup, store, log)
  await drop()
})
