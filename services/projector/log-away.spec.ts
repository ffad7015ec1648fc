import { describe, expect, test } from 'vitest'
import { LogUnavailable } from '../../libs/ports/event-log.ts'
import { type Fault, unreliableLog } from '../../test/support/unreliable-log.ts'
import { type StreamEvent, streamOf } from './testing/stream.ts'
import { sent, toyGroup } from './testing/toy-group.ts'
import { memoryWorld, World } from './testing/world.ts'

const apply: StreamEvent = { kind: 'apply', senders: [1] }
const limits = { logRetryMs: 0, logRetryMaxMs: 1, flushMessagesMax: 1 }

/** A world with three messages whose log fails as told. */
async function worldWith(faults: Parameters<typeof unreliableLog>[1]) {
  const whole = memoryWorld(toyGroup, [sent])
  await whole.hear(streamOf([apply, apply]).wire)
  const log = unreliableLog(whole.log, faults)
  return { whole, through: new World(toyGroup, { ...whole, log }) }
}

describe('a projector whose log is away', () => {
  test('reads again, and announces at least once', async () => {
    const unheard: Fault = 'unheard'
    const { whole, through } = await worldWith({
      read: ['lost', unheard, 'lost'],
      end: [null, 'lost'],
      append: ['lost', unheard],
    })
    await through.live(3, { limits })
    const announced = await whole.announcements()
    expect(announced.map(({ position }) => position)).toEqual([1, 1, 2, 3])
  })

  test('ends at the bound of attempts, and says why', async () => {
    const { through } = await worldWith({ read: ['lost', 'lost', 'lost', 'lost'] })
    const projector = through.start({ limits: { ...limits, logAttemptsMax: 3 } })
    expect(await projector.failed).toEqual(new LogUnavailable('read did not arrive'))
    await projector.stop()
  })
})
