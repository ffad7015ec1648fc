import { expect, test } from 'vitest'
import { MemoryVolume, memoryStateStore } from '../../../libs/ports/testing/memory-state-store.ts'
import { encodeMessage } from '../../../libs/topics/codec.ts'
import { startProjector } from '../projector.ts'
import { applied, hashOf } from '../testing/messages.ts'
import { sent, toyGroup } from '../testing/toy-group.ts'
import { truthOf } from '../testing/toy-truth.ts'
import { memoryWorld } from '../testing/world.ts'

const block = (number: number) => {
  const [hash, parentHash] = [hashOf(`${number}`), hashOf(`${number - 1}`)]
  return applied(number, { number, hash, parentHash, senders: [1, 1 + (number % 3), 100 + number] })
}
const chain = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => block(from + at))

/** Lets so many calls pass and holds the next one until it is released. */
function gate(passes: number) {
  let release = () => {}
  let reached = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const holding = new Promise<void>((resolve) => {
    reached = resolve
  })
  let calls = 0
  const pass = async () => {
    if (calls++ !== passes) return
    reached()
    await released
  }
  return { pass, holding, release }
}

const places = ['step of its commits', 'read of the log'] as const
const cases = places.flatMap((place) =>
  Array.from({ length: place === 'read of the log' ? 4 : 12 }, (_, at) => [place, at] as const),
)

test.each(cases)(
  'a group held at a %s (%i), as a container is paused, is harmless to who opens its volume',
  async (place, heldAt) => {
    const world = memoryWorld(toyGroup, [sent])
    const volume = new MemoryVolume()
    const limits = { entitiesCachedMax: 1, flushMessagesMax: 2, readMessagesMax: 3 }
    const live = (position: number) =>
      world.live(position, { limits, state: memoryStateStore(volume) })
    await world.hear(chain(1, 10).map(encodeMessage))
    const { pass, holding, release } = gate(heldAt)
    const { store, group } = world
    const read: typeof world.eventLog.read = async (...asked) => {
      if (place === 'read of the log') await pass()
      return world.eventLog.read(...asked)
    }
    const eventLog = { ...withMethods(world.eventLog), read }
    const between = place === 'read of the log' ? async () => {} : pass
    const state = memoryStateStore(volume)
    const first = startProjector({ eventLog, store, group, limits, between, state })
    await holding
    await world.hear(chain(11, 20).map(encodeMessage))
    await live(20)
    release()
    expect((await first.failed).name).toBe('Fenced')
    await world.hear(chain(21, 22).map(encodeMessage))
    await live(22)
    const rows = Object.values(world.store.readAll().sent ?? {}).map((row) => JSON.parse(row))
    const counts = Object.fromEntries(rows.map(({ sender, count }) => [sender, count]))
    expect(counts).toEqual(truthOf(chain(1, 22)))
  },
)

const withMethods = (eventLog: ReturnType<typeof memoryWorld>['eventLog']): typeof eventLog => ({
  append: (topic, messages) => eventLog.append(topic, messages),
  read: (topic, offset, limit) => eventLog.read(topic, offset, limit),
  begin: (topic) => eventLog.begin(topic),
  end: (topic) => eventLog.end(topic),
  waitBeyond: (topic, offset, signal) => eventLog.waitBeyond(topic, offset, signal),
  close: () => eventLog.close(),
})
