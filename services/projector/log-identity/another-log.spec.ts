import { describe, expect, test } from 'vitest'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../../libs/ports/testing/memory-state-store.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { calmLife } from '../testing/expectations.ts'
import { afterLoss, block, blocks, seen, streamed } from '../testing/lost-tail.ts'
import { applied } from '../testing/messages.ts'
import { sent, toyGroup } from '../testing/toy-group.ts'
import { World } from '../testing/world.ts'

const few = { flushMessagesMax: 4 }
const old = [...blocks(38), seen(39, 38), block(40, 39), block(41, 40)]
/** The same chain in a topic of its own: its first message has other words for the same block. */
const first = block(1, 1)
const anew = [
  applied(1, {
    number: 1,
    hash: first.block.hash,
    parentHash: first.block.parentHash,
    senders: [7],
  }),
  ...blocks(48).slice(1),
]

async function failed(world: World): Promise<string> {
  const projector = world.start({ limits: few })
  const said = await projector.waitFor(anew.length).then(
    () => 'it went on',
    (error: Error) => error.message,
  )
  await projector.stop()
  return said
}

describe('a topic of the same chain that is another log', () => {
  test.each([
    ['empty', true],
    ['that stands where the topic has the same block', false],
  ])('is refused by a group with a volume %s, and no row is removed', async (_what, isEmpty) => {
    const world = await afterLoss(streamed(isEmpty ? old : blocks(41)), few)
    const rows = world.store.readAll()
    await world.hear(streamed(anew).wire)
    if (isEmpty) world.state = memoryStateStore()
    const sentence = await failed(world)
    expect(sentence).toMatch(
      /^topic blocks is another log than the one that the rows of state were/,
    )
    expect(sentence).toContain(runbooks.lostTail)
    expect(sentence).toContain('--kafka-topic-prefix')
    expect(sentence.match(/block 1 \(message 0x[0-9a-f]{16}\)/g)).toHaveLength(2)
    expect(world.store.readAll()).toEqual(rows)
  })

  test('is refused where a kill left the first rows without progress', async () => {
    for (const killedAtStep of [0, 1, 2]) {
      const world = await afterLoss(streamed(old), few, { killedAtStep })
      const rows = world.store.readAll()
      await world.hear(streamed(anew).wire)
      world.state = memoryStateStore()
      expect(await failed(world)).toContain(runbooks.lostTail)
      expect(world.store.readAll()).toEqual(rows)
    }
  })

  test('is refused where the tables were written before there was such a mark', async () => {
    const world = await afterLoss(streamed(old), few)
    world.store.lose('progress', ({ group }) => group === 'state|first')
    const rows = world.store.readAll()
    await world.hear(streamed(anew).wire)
    world.state = memoryStateStore()
    expect(await failed(world)).toContain(runbooks.lostTail)
    expect(world.store.readAll()).toEqual(rows)
  })

  test('is refused where the tables have rows and no progress', async () => {
    const world = await afterLoss(streamed(old), few)
    const rows = world.store.readAll()
    await world.hear(streamed(anew).wire)
    world.state = memoryStateStore()
    world.store.lose('progress', () => true)
    expect(await failed(world)).toContain('have rows, and no progress says of which log')
    expect(world.store.readAll()).toEqual(rows)
  })

  test('is folded once the tables and progress are emptied', async () => {
    const calm = await calmLife(toyGroup, [sent], streamed(anew))
    const world = await afterLoss(streamed(old), few)
    await world.hear(streamed(anew).wire)
    world.state = memoryStateStore()
    for (const name of [...world.store.names, 'progress']) world.store.lose(name, () => true)
    await world.live(anew.length, { limits: few })
    expect(world.store.readAll()).toEqual(calm.tables)
  })
})

describe('a group whose tables were written before there was a mark of the first message', () => {
  test('writes it with its next flush, from the log that it goes on with', async () => {
    const world = await afterLoss(streamed(old), few)
    world.store.lose('progress', ({ group }) => group === 'state|first')
    await world.hear(streamed([...old, block(42, 41)]).wire)
    await world.live(42, { limits: few })
    const other = new World(toyGroup, {
      ...world,
      eventLog: memoryEventLog(),
      state: memoryStateStore(),
    })
    await other.hear(streamed(anew).wire)
    expect(await failed(other)).toContain('is another log')
  })
})
