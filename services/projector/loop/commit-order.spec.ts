import { describe, expect, test } from 'vitest'
import { position } from '../../../libs/chain/position.ts'
import type { StateStore } from '../../../libs/ports/state-store.ts'
import { MemoryVolume, memoryStateStore } from '../../../libs/ports/testing/memory-state-store.ts'
import { groupId } from '../../../libs/tables/declare/group-versions.ts'
import { undoBlocksMax } from '../../../libs/topics/acceptance.ts'
import { bucketOf } from '../../../libs/topics/changes.ts'
import { encodeMessage } from '../../../libs/topics/codec.ts'
import { splitMessage } from '../../../libs/topics/parts.ts'
import type { Projector } from '../projector.ts'
import { applied, hashOf, observed, reverted } from '../testing/messages.ts'
import { type StreamEvent, streamOf } from '../testing/stream.ts'
import { senders, sent, toyGroup } from '../testing/toy-group.ts'
import { memoryWorld, recordWrites } from '../testing/world.ts'
import { stateFormat } from '../volume/checkpoint.ts'
import { checkpointPrefix, entityKey, journalKey } from '../volume/state-keys.ts'

const apply = (...senders: number[]): StreamEvent => ({ kind: 'apply', senders })
const bucket = (sender: number) => bucketOf(`0x${`${sender}`.padStart(40, '0')}`)

describe('what a projector announces', () => {
  test('names the buckets that moved while it is live', async () => {
    const world = memoryWorld(toyGroup, [sent])
    await world.hear(streamOf([apply(4, 5)]).wire)
    await world.live(2, { limits: { flushMessagesMax: 1 } })
    const [first, second] = await world.announcements()
    expect(first).toMatchObject({ group: groupId('state'), position: 1, block: 5, time: 1005 })
    expect(first?.moved).toEqual({ sent: [bucket(4), bucket(5)] })
    expect(second?.moved).toEqual({ sent: [bucket(1)] })
  })

  test('says "everything" while it catches up', async () => {
    const world = memoryWorld(toyGroup, [sent])
    await world.hear(streamOf([apply(4), apply(5), apply(6)]).wire)
    await world.live(4, { limits: { flushMessagesMax: 1, liveMessagesMax: 2 } })
    const moved = (await world.announcements()).map((one) => one.moved === 'everything')
    expect(moved).toEqual([true, true, false, false])
  })
})

describe('a flush', () => {
  test('commits in the order of the law', async () => {
    const world = memoryWorld(toyGroup, [sent])
    await world.hear(streamOf([]).wire)
    const order = recordWrites(world)
    await world.live(1)
    const rows = ['insert progress', 'insert sent', 'insert progress']
    expect(order).toEqual([...rows, 'state', 'append changes', 'outbox'])
  })
})

/** Resolves when the status says so; the steps of a projector are all it can wait for. */
async function until(projector: Projector, isSo: () => boolean): Promise<void> {
  for (let turns = 0; turns < 10_000; turns++) {
    if (isSo()) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error(`never so: ${JSON.stringify(projector.status())}`)
}

describe('a group that meets what does not count', () => {
  const block = { number: 5, hash: hashOf('5'), parentHash: hashOf('4'), senders: [1] }
  const orphan = { number: 6, hash: hashOf('6'), parentHash: hashOf('x'), senders: [1] }
  const child = { ...orphan, parentHash: block.hash }

  test('says that it is stuck and why, and goes on with the next valid message', async () => {
    const world = memoryWorld(toyGroup, [sent])
    await world.hear([applied(1, block), applied(2, orphan)].map(encodeMessage))
    const projector = world.start()
    await until(projector, () => projector.status().stuck !== null)
    expect(projector.status().stuck).toMatchObject({ reason: 'invalid', sequence: 2, offset: 1 })
    expect(projector.status().stuck?.detail).toContain(block.hash)
    await projector.waitFor(1)
    await world.hear([applied(2, child)].map(encodeMessage))
    await projector.waitFor(2)
    expect(projector.status()).toMatchObject({ stuck: null, position: 2, block: 6, behind: 0 })
    await projector.stop()
  })

  const rival = { ...child, hash: hashOf('rival 6') }
  const onRival = { ...child, number: 7, hash: hashOf('rival 7'), parentHash: rival.hash }
  const farOnRival = { ...onRival, number: 8, hash: hashOf('rival 8'), parentHash: onRival.hash }
  test.each<[string, Uint8Array[]]>([
    ['the message of another ingestor that came later', [encodeMessage(applied(2, rival))]],
    [
      'all that another ingestor published after it had lost the race',
      [applied(2, rival), applied(3, onRival), applied(4, farOnRival)].map(encodeMessage),
    ],
    [
      'what another ingestor observed of the block that lost',
      [applied(2, rival), observed(3, { block: rival.number, hash: rival.hash, holders: [9] })].map(
        encodeMessage,
      ),
    ],
    [
      'a fork of another ingestor that lost the race',
      [reverted(2, block), applied(3, { ...block, hash: hashOf('rival 5') })].map(encodeMessage),
    ],
    [
      'parts that three ingestors left behind',
      ['a', 'b', 'c'].flatMap((text) =>
        [...splitMessage(Buffer.from(text.repeat(1_000)), 600)].slice(1),
      ),
    ],
    [
      'parts that three ingestors began and left behind',
      ['a', 'b', 'c'].flatMap((text) =>
        [...splitMessage(Buffer.from(text.repeat(1_000)), 600)].slice(0, 1),
      ),
    ],
  ])('is not stuck by %s', async (_what, wire) => {
    const world = memoryWorld(toyGroup, [sent])
    await world.hear([...[applied(1, block), applied(2, child)].map(encodeMessage), ...wire])
    const projector = world.start()
    await until(projector, () => projector.status().position === 2)
    await until(projector, () => projector.status().behind === 0)
    expect(projector.status().stuck).toBeNull()
    const next = { number: 7, hash: hashOf('7'), parentHash: child.hash, senders: [1] }
    await world.hear([encodeMessage(applied(3, next))])
    await projector.waitFor(3)
    await projector.stop()
  })

  test('is not stuck by a redelivery', async () => {
    const world = memoryWorld(toyGroup, [sent])
    await world.hear([applied(1, block), applied(1, block)].map(encodeMessage))
    await world.live(1)
    const projector = world.start()
    await until(projector, () => projector.status().position === 1)
    expect(projector.status().stuck).toBeNull()
    await projector.stop()
  })
})

const everything = 1_000

/** What the volume holds of the folds. */
const stored = (state: StateStore): string[] =>
  [...state.scan(entityKey(senders.tag, ''), everything)].map(({ key, value }) => `${key} ${value}`)

/** As a program of another day would have left the volume: its own number, values of its own. */
async function ofFormat(state: StateStore, format: number | undefined): Promise<void> {
  const writes: [Buffer, Buffer][] = []
  for (const { key, value } of state.scan(checkpointPrefix, everything)) {
    writes.push([key, Buffer.from(JSON.stringify({ ...JSON.parse(`${value}`), format }))])
  }
  for (const { key } of state.scan(entityKey(senders.tag, ''), everything)) {
    writes.push([key, Buffer.from('of another form')])
  }
  await state.commit(writes)
}

describe('an observation', () => {
  const chain = Array.from({ length: undoBlocksMax + 2 }, (_, at) =>
    applied(at + 1, {
      number: at + 1,
      hash: hashOf(`${at + 1}`),
      parentHash: hashOf(`${at}`),
      senders: [],
    }),
  )
  const observedAt = (block: number, hash: string) =>
    observed(chain.length + 1, { block, hash: hashOf(hash), holders: [9] })

  test.each([
    ['counts by the hash of its block', observedAt(2, '2'), 1],
    ['too deep to be checked tells nothing', observedAt(1, 'an orphan'), 0],
  ])('%s', async (_law, message, rows) => {
    const world = memoryWorld(toyGroup, [sent])
    await world.hear([...chain, message].map(encodeMessage))
    await world.live(message.sequence)
    expect(Object.keys(world.store.readAll().sent ?? {})).toHaveLength(rows)
  })
})

describe('a group that is started again', () => {
  test('folds in silence when its volume is lost: no row is written twice', async () => {
    const world = memoryWorld(toyGroup, [sent])
    const { wire, canonical } = streamOf([apply(2), apply(3), apply(2, 3)])
    await world.hear(wire)
    await world.live(canonical.length)
    const inserts: string[] = []
    world.store.beforeInsert = (table) => inserts.push(table)
    world.state = memoryStateStore()
    await world.live(canonical.length)
    expect(inserts).toEqual([])
    const last = (await world.announcements()).at(-1)
    expect(last).toMatchObject({ position: position(canonical.length), moved: 'everything' })
  })

  test('folds in silence from a copy of its volume up to where the rows end', async () => {
    const volume = new MemoryVolume()
    const world = memoryWorld(toyGroup, [sent])
    const applies = Array.from({ length: 12 }, (_, at) => apply(at % 3, 5))
    const { wire, canonical } = streamOf(applies)
    const end = canonical.length
    await world.hear(wire)
    world.state = memoryStateStore(volume)
    await world.live(2, { limits: { flushMessagesMax: 1, readMessagesMax: 1 } })
    const copy = new Map(volume.entries)
    await world.live(end)
    const [rows, counts] = [world.store.readAll(), stored(world.state)]
    const inserts: string[] = []
    world.store.beforeInsert = (table) => inserts.push(table)
    world.state = memoryStateStore(Object.assign(new MemoryVolume(), { entries: copy }))
    const limits = { liveMessagesMax: 3, flushMessagesMax: 2 }
    // It ends before it has caught up, and goes on in silence.
    await world.live(end, { limits, killedAtStep: 2 })
    await world.live(end, { limits })
    expect(inserts).toEqual([])
    expect([world.store.readAll(), stored(world.state)]).toEqual([rows, counts])
    const last = (await world.announcements()).at(-1)
    expect(last).toMatchObject({ position: position(end), moved: 'everything' })
  })

  test('folds in silence from the log when its volume is of another format', async () => {
    for (const format of [undefined, stateFormat + 1]) {
      const world = memoryWorld(toyGroup, [sent])
      const { wire, canonical } = streamOf([apply(2), apply(3), apply(2, 3)])
      await world.hear(wire)
      await world.live(canonical.length)
      const before = world.store.readAll()
      const counts = stored(world.state)
      await ofFormat(world.state, format)
      const inserts: string[] = []
      world.store.beforeInsert = (table) => inserts.push(table)
      await world.live(canonical.length)
      expect(inserts).toEqual([])
      expect(stored(world.state)).toEqual(counts)
      expect(world.store.readAll()).toEqual(before)
    }
  })

  test('finds its place in a log whose offsets are others', async () => {
    const world = memoryWorld(toyGroup, [sent])
    const { wire, canonical } = streamOf([apply(2), apply(3), apply(2, 3)])
    await world.hear(wire.slice(0, 3))
    await world.live(3)
    const mirror = memoryWorld(toyGroup, [sent])
    mirror.store = world.store
    await mirror.hear([...wire.slice(0, 1), ...wire])
    await mirror.live(canonical.length, { state: world.state })
    const positions = (await mirror.announcements()).map((one) => one.position)
    expect(positions).toEqual([position(canonical.length)])
  })

  test.each([
    ['', 0, 2],
    [', even if what stands at the end does not count', 2, 2],
  ])('does not read again what it has folded%s', async (_law, noise, first) => {
    const world = memoryWorld(toyGroup, [sent])
    const { wire } = streamOf([apply(2), apply(3)])
    await world.hear([...wire, ...wire.slice(0, noise)])
    await world.live(3)
    const reads: number[] = []
    const read = world.eventLog.read.bind(world.eventLog)
    world.eventLog.read = (topic, offset, limit) => {
      // The first message is looked up: it identifies the log.
      if (offset > 0 || limit.messagesMax > 1) reads.push(offset)
      return read(topic, offset, limit)
    }
    await world.live(3)
    expect(Math.min(...reads)).toBe(first)
  })
})

describe('rows that a power loss took', () => {
  test('are made again though the first block was reverted meanwhile', async () => {
    const world = memoryWorld(toyGroup, [sent])
    const { wire, canonical } = streamOf([apply(), { kind: 'revert', depth: 1 }])
    await world.hear(wire.slice(0, 2))
    await world.live(2, { limits: { flushMessagesMax: 1 } })
    world.store.loseLast(1)
    await world.hear(wire.slice(2))
    await world.live(canonical.length)
    expect(Object.keys(world.store.readAll().sent ?? {})).toHaveLength(1)
  })
})

describe('a revert that undo does not reach', () => {
  test('halts the group with the page to read, and keeps what came before it', async () => {
    const world = memoryWorld(toyGroup, [sent])
    const { wire, canonical } = streamOf([apply(2), apply(3), { kind: 'revert', depth: 2 }])
    await world.hear(wire.slice(0, 2))
    await world.live(2)
    await world.state.commit([[journalKey(1), null]])
    await world.hear(wire.slice(2))
    const projector = world.start()
    const error = await projector.failed
    expect(error.message).toContain('deploy/runbooks/reorganisation-too-deep.md')
    await expect(projector.waitFor(canonical.length)).rejects.toThrow('undo records')
    expect(projector.status().position).toBe(3)
    await projector.stop()
  })
})
