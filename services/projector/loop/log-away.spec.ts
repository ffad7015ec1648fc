import { describe, expect, test } from 'vitest'
import { LogUnavailable } from '../../../libs/ports/event-log.ts'
import { events } from '../../../libs/signals/events.ts'
import { silentLog } from '../../../libs/signals/log.ts'
import { type Fault, unreliableLog } from '../../../test/support/unreliable-log.ts'
import { type StreamEvent, streamOf } from '../testing/stream.ts'
import { sent, toyGroup } from '../testing/toy-group.ts'
import { memoryWorld, World } from '../testing/world.ts'

const apply: StreamEvent = { kind: 'apply', senders: [1] }
const limits = { logRetryMs: 0, logRetryMaxMs: 1, flushMessagesMax: 1 }

/** A world with three messages whose log fails as told. */
async function worldWith(faults: Parameters<typeof unreliableLog>[1]) {
  const whole = memoryWorld(toyGroup, [sent])
  await whole.hear(streamOf([apply, apply]).wire)
  const eventLog = unreliableLog(whole.eventLog, faults)
  return { whole, through: new World(toyGroup, { ...whole, eventLog }) }
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

  test('that it never read ends it at the bound of attempts, and it says why', async () => {
    const { through } = await worldWith({ read: ['lost', 'lost', 'lost', 'lost'] })
    const projector = through.start({ limits: { ...limits, logAttemptsMax: 3 } })
    expect(await projector.failed).toEqual(new LogUnavailable('read did not arrive'))
    await projector.stop()
  })

  test('that it has read is waited for without end, with one warning a minute', async () => {
    const many: Fault[] = Array(50).fill('lost')
    const { whole, through } = await worldWith({
      read: [null, null, ...many],
      end: [null, ...many],
      append: many,
    })
    const taken: string[] = []
    const take = (level: string) => (fields: object) => {
      if (Reflect.get(fields, 'event') === events.projector.retried) taken.push(level)
    }
    const log = { ...silentLog, debug: take('debug'), warn: take('warn') }
    await through.live(3, { limits: { ...limits, logAttemptsMax: 2 }, log })
    expect((await whole.announcements()).at(-1)?.position).toBe(3)
    expect(taken.length).toBeGreaterThanOrEqual(many.length)
    expect(taken.filter((level) => level === 'warn')).toHaveLength(1)
  })
})
