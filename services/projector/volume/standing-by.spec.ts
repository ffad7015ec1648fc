import { expect, test, vi } from 'vitest'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import { streamOf } from '../testing/stream.ts'
import { sent, toyGroup } from '../testing/toy-group.ts'
import { memoryWorld, World } from '../testing/world.ts'

/** The log as one sees it whose place in the group another one has. */
const withoutPlace = (eventLog: EventLog, waits: () => void): EventLog => ({
  append: (topic, messages) => eventLog.append(topic, messages),
  begin: (topic) => eventLog.begin(topic),
  end: (topic) => eventLog.end(topic),
  read: async () => [],
  waitBeyond: (_topic, _offset, signal) => {
    waits()
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
  },
  close: () => eventLog.close(),
})

test('a projector that stands by says how far behind it is, now', async () => {
  const { wire } = streamOf([{ kind: 'apply', senders: [1] }])
  const whole = memoryWorld(toyGroup, [sent])
  const waits = vi.fn()
  const world = new World(toyGroup, { ...whole, eventLog: withoutPlace(whole.eventLog, waits) })
  const projector = world.start({ limits: { idleLookMs: 1 } })
  await vi.waitFor(() => expect(waits).toHaveBeenCalled())
  expect(projector.status().behind).toBe(0)
  await whole.hear(wire)
  await vi.waitFor(() => expect(projector.status().behind).toBe(wire.length))
  await projector.stop()
})
