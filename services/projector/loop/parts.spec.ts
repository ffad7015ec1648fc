import { describe, expect, test } from 'vitest'
import { encodeMessage } from '../../../libs/topics/codec.ts'
import { splitMessage } from '../../../libs/topics/parts.ts'
import type { Projector } from '../projector.ts'
import { applied, hashOf } from '../testing/messages.ts'
import { sent, toyGroup } from '../testing/toy-group.ts'
import { memoryWorld } from '../testing/world.ts'

const first = applied(1, {
  number: 5,
  hash: hashOf('5'),
  parentHash: hashOf('4'),
  senders: [1, 1, 1],
})
const second = (senders: number[]) =>
  applied(2, { number: 6, hash: hashOf(`6 ${senders}`), parentHash: hashOf('5'), senders })

const cut = (message: unknown) => [...splitMessage(encodeMessage(message), 256 + 500)]

async function until(projector: Projector, isSo: () => boolean): Promise<void> {
  for (let turns = 0; turns < 10_000; turns++) {
    if (isSo()) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error(`never so: ${JSON.stringify(projector.status())}`)
}

describe('a group that meets messages in parts', () => {
  test('goes on after them when it is started again, without reading them', async () => {
    const world = memoryWorld(toyGroup, [sent])
    const parts = [...cut(first), ...cut(second([2]))]
    await world.hear(parts)
    await world.live(2)
    const asked: number[] = []
    const read = world.eventLog.read.bind(world.eventLog)
    world.eventLog.read = (topic, offset, limit) => {
      // The first message is looked up: it identifies the log.
      const isLookedUp = limit.messagesMax === 1 && offset < cut(first).length
      if (topic === 'blocks' && !isLookedUp) asked.push(offset)
      return read(topic, offset, limit)
    }
    await world.live(2)
    expect(asked[0]).toBe(parts.length - 1)
    await world.hear([encodeMessage(applied(3, { ...nextOf(second([2])), senders: [3] }))])
    await world.live(3)
    expect(Math.min(...asked)).toBe(parts.length - 1)
    expect(Object.keys(world.store.readAll().sent ?? {})).toHaveLength(3)
  })

  test('puts no message together whose parts stand around another one that counts', async () => {
    const [early = Buffer.alloc(0), ...late] = cut(second([7, 7, 7]))
    const log = [early, ...cut(first), ...late, encodeMessage(second([8]))]
    const whole = memoryWorld(toyGroup, [sent])
    await whole.hear(log)
    await whole.live(2)
    // One that begins between the two has never seen the first part.
    const halved = memoryWorld(toyGroup, [sent])
    const known = log.length - late.length - 1
    await halved.hear(log.slice(0, known))
    await halved.live(1)
    await halved.hear(log.slice(known))
    await halved.live(2)
    expect(whole.store.readAll()).toEqual(halved.store.readAll())
    expect(JSON.stringify(whole.store.readAll())).not.toContain('00007')
  })

  test('waits for the rest of them without being stuck', async () => {
    const world = memoryWorld(toyGroup, [sent])
    const parts = cut(first)
    await world.hear(parts.slice(0, -1))
    const projector = world.start()
    await world.hear(parts.slice(-1))
    await projector.waitFor(1)
    expect(projector.status()).toMatchObject({ position: 1, stuck: null, behind: 0 })
    await projector.stop()
  })

  test('says that it is stuck by parts that make another message, and goes on after others', async () => {
    const world = memoryWorld(toyGroup, [sent])
    const spoiled = cut(first)
    spoiled[1]?.write('!', 400)
    await world.hear(spoiled)
    const projector = world.start()
    await until(projector, () => projector.status().stuck !== null)
    expect(projector.status().stuck).toMatchObject({
      reason: 'invalid',
      detail: expect.stringContaining('make another one'),
      sequence: 1,
      offset: spoiled.length - 1,
    })
    await world.hear(cut(first))
    await projector.waitFor(1)
    expect(projector.status().stuck).toBeNull()
    await projector.stop()
  })
})

const nextOf = ({ block }: ReturnType<typeof second>) => ({
  number: block.number + 1,
  hash: hashOf(`after ${block.hash}`),
  parentHash: block.hash,
})
