import { expect, test, vi } from 'vitest'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { Store } from '../../../libs/ports/store.ts'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import { startProjector } from '../projector.ts'
import { streamOf } from '../testing/stream.ts'
import { sent, toyGroup } from '../testing/toy-group.ts'
import { memoryWorld } from '../testing/world.ts'
import { GroupLag } from './group-lag.ts'

test('the lag is the age of the oldest message that is not indexed', () => {
  const lag = new GroupLag()
  expect(lag.seconds(10_000)).toBe(0)
  lag.reads(4_000)
  lag.reads(7_000)
  expect(lag.seconds(10_000)).toBe(6)
  lag.flushes()
  lag.reads(8_000)
  expect(lag.seconds(10_000)).toBe(6)
  lag.flushed()
  expect(lag.seconds(10_000)).toBe(2)
  // The clock of another machine.
  expect(lag.seconds(7_000)).toBe(0)
  lag.waits()
  expect(lag.seconds(10_000)).toBe(0)
})

/** From now on its messages have been there for a time. */
function age(eventLog: EventLog, seconds: number): void {
  const read = eventLog.read.bind(eventLog)
  eventLog.read = async (...asked) => {
    const time = Date.now() - seconds * 1_000
    return (await read(...asked)).map((message) => ({ ...message, time }))
  }
}

/** A store whose inserts of rows wait until they may go on. */
function held(store: Store) {
  let go = () => {}
  const mayGo = new Promise<void>((resolve) => {
    go = resolve
  })
  const begun = vi.fn()
  const insert: Store['insert'] = async (table, columns, rows) => {
    if (table === sent.stored) {
      begun()
      await mayGo
    }
    return store.insert(table, columns, rows)
  }
  return { store: Object.assign(Object.create(store), { insert }), begun, go }
}

test('a group whose rows ClickHouse does not take lags, and no longer once it does', async () => {
  const world = memoryWorld(toyGroup, [sent])
  const metrics = startMetrics()
  const { store, begun, go } = held(world.store)
  const { wire } = streamOf([{ kind: 'apply', senders: [1] }])
  await world.hear(wire)
  age(world.eventLog, 90)
  const projector = startProjector({
    eventLog: world.eventLog,
    group: toyGroup,
    state: world.state,
    store,
    metrics,
    tables: world.store.names,
  })
  const lag = async () => (await metrics.lag.get()).values[0]
  await vi.waitFor(() => expect(begun).toHaveBeenCalled())
  expect((await lag())?.labels).toEqual({ group: toyGroup.name })
  expect((await lag())?.value).toBeGreaterThanOrEqual(90)
  go()
  await projector.waitFor(wire.length)
  await vi.waitFor(async () => expect((await lag())?.value).toBe(0))
  await projector.stop()
})
