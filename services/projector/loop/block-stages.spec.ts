import { expect, test } from 'vitest'
import { seenHeaders, seenIn } from '../../../libs/signals/block-stage.ts'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import { startProjector } from '../projector.ts'
import { streamOf } from '../testing/stream.ts'
import { sent, toyGroup } from '../testing/toy-group.ts'
import { memoryWorld } from '../testing/world.ts'

const { wire } = streamOf([
  { kind: 'apply', senders: [1] },
  { kind: 'apply', senders: [2] },
])

/** Folds blocks that the ingestor had at these times. */
async function foldedWith(times: readonly (number | null)[]) {
  const world = memoryWorld(toyGroup, [sent])
  const metrics = startMetrics()
  const { eventLog, state, store } = world
  await eventLog.append(
    'blocks',
    wire.map((value, at) => ({ key: '1', value, ...seenHeaders(times[at]) })),
  )
  const tables = store.names
  const projector = startProjector({ eventLog, group: toyGroup, state, store, tables, metrics })
  await projector.waitFor(wire.length)
  await projector.stop()
  const announced = await eventLog.read('changes', 0, { messagesMax: 100, bytesMax: 1e6 })
  const measured = (await metrics.blockStageSeconds.get()).values.flatMap(
    ({ labels, metricName, value }) =>
      metricName?.endsWith('_count') === true ? [`${labels.stage} ${value}`] : [],
  )
  return {
    rows: store.readAll(),
    announced: announced.map(({ headers }) => seenIn(headers)),
    measured,
  }
}

test('a flush is measured by the oldest of its new blocks, and says so in its announcement', async () => {
  const soon = Date.now() + 60_000
  const { announced, measured } = await foldedWith([soon, soon + 5])
  expect(announced).toEqual([soon])
  expect(measured).toEqual(['stored 1', 'announced 1'])
})

test('blocks from before the process are not measured: they are read again', async () => {
  const { measured } = await foldedWith([Date.now() - 5, null])
  expect(measured).toEqual(['stored 0', 'announced 0'])
})

test('no row depends on when a block was seen', async () => {
  const [never, seen] = [await foldedWith([null, null]), await foldedWith([1, Date.now() + 60_000])]
  expect(seen.rows).toEqual(never.rows)
})
