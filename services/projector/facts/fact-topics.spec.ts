import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { StateStore } from '../../../libs/ports/state-store.ts'
import { memoryStateStore } from '../../../libs/ports/testing/memory-state-store.ts'
import { prices } from '../../../libs/tables/tables/prices.ts'
import { progress } from '../../../libs/tables/tables/progress.ts'
import { tokenMarket } from '../../../libs/tables/tables/tokens.ts'
import { encodeMessage } from '../../../libs/topics/codec.ts'
import { FactLog } from '../testing/fact-log.ts'
import { MemoryStore } from '../testing/memory-store.ts'
import { Killed } from '../testing/world.ts'
import { startDimensions } from './dimensions.ts'

const topic = 'coin-prices'
const moments = ['now', '2024-01-01', '2024-01-02', '2024-01-03'] as const
const priceOf = (moment: string, price: number) => ({
  key: `1:${moment}`,
  value: encodeMessage({ chainId: 1, moment, time: 5, price: `${price}` }),
})

const some = fc.array(fc.nat({ max: moments.length - 1 }), { minLength: 1, maxLength: 6 })
const event = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('publish' as const), keys: some }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('compact' as const), active: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('make anew' as const), keys: some }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('mirror' as const), keepsTimes: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clock goes back' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('live' as const),
      instance: fc.nat(2),
      isLost: fc.boolean(),
      killedAtStep: fc.option(fc.nat(8), { nil: undefined }),
      insertsLost: fc.constantFrom(0, 0, 0, 1, 3),
    }),
  },
)
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never

interface Life {
  readonly killedAtStep?: number | undefined
  readonly eventLog?: EventLog
  readonly factsLookMs?: number
}

class Facts {
  readonly eventLog = new FactLog()
  readonly store = new MemoryStore([prices, tokenMarket, progress])
  private readonly volumes = new Map<number, StateStore>()
  private price = 0

  async play(one: Event): Promise<void> {
    switch (one.kind) {
      case 'publish':
        return this.publish(one.keys)
      case 'compact':
        return this.eventLog.compact(topic, one.active)
      case 'make anew':
        this.eventLog.makeAnew(topic)
        return this.publish(one.keys)
      case 'mirror':
        return this.eventLog.mirror(topic, one.keepsTimes)
      case 'clock goes back':
        this.eventLog.now -= 60_000
        return
      case 'live': {
        if (one.isLost) this.volumes.delete(one.instance)
        await this.live(one.instance, one.killedAtStep)
        this.store.loseLast(one.insertsLost)
      }
    }
  }

  async publish(keys: readonly number[]): Promise<void> {
    const messages = keys.map((key) => priceOf(moments[key] ?? 'now', ++this.price))
    await this.eventLog.append(topic, messages)
  }

  start(instance: number, life: Life = {}) {
    const { killedAtStep, eventLog = this.eventLog, factsLookMs = 1 } = life
    const state = this.volumes.get(instance) ?? memoryStateStore()
    this.volumes.set(instance, state)
    let steps = 0
    return startDimensions({
      ...{ eventLog, store: this.store, state, chainId: 1 },
      limits: { readMessagesMax: 3, factsLookMs },
      between: async () => {
        if (steps++ === killedAtStep) throw new Killed('here')
      },
    })
  }

  /** Until all is read, or it is killed. @throws what else ended it */
  async live(instance: number, killedAtStep?: number): Promise<void> {
    this.eventLog.unread()
    const projector = this.start(instance, { killedAtStep })
    const over = new AbortController()
    const failed = projector.failed.then((error) => {
      over.abort()
      if (!(error instanceof Killed)) throw error
    })
    await Promise.race([this.eventLog.untilRead(over.signal), failed])
    await projector.stop()
  }

  /** The rows of what the topic holds now. */
  expectRight(): void {
    const rows = this.store.readAll().prices ?? {}
    for (const [key, value] of this.eventLog.lastOf(topic)) {
      const moment = key.slice(2)
      const { price } = JSON.parse(Buffer.from(value).toString())
      expect(rows[moment] && JSON.parse(rows[moment]).price, moment).toBe(price)
    }
  }
}

describe('facts of topics that others compact, make anew and mirror', () => {
  test('are the last ones of each key, whoever folds them, however often', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 14 }), fc.nat(2), async (events, instance) => {
        const facts = new Facts()
        for (const one of events) await facts.play(one)
        await facts.live(instance)
        facts.expectRight()
      }),
      { numRuns: 60 },
    )
  })

  test('are followed while they are read, into a topic of the same name', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 8 }), async (events) => {
        const facts = new Facts()
        await facts.publish([0, 1, 0])
        const projector = facts.start(0)
        const never = new AbortController().signal
        for (const one of events) {
          await facts.eventLog.untilRead(never)
          if (one.kind !== 'live') await facts.play(one)
        }
        // What comes later is what makes a reader look again.
        await facts.publish([2])
        // A topic that is as long as before is only seen when it is looked at.
        await vi.waitFor(() => facts.expectRight(), { timeout: 50_000, interval: 1 })
        await projector.stop()
      }),
      { numRuns: 25 },
    )
  })

  test('are not folded on by one that stood by while another found the topic made anew', async () => {
    const facts = new Facts()
    await facts.publish([0, 0])
    const { eventLog, takeTurn } = standingBy(facts.eventLog)
    const never = 1_000_000
    const late = facts.start(1, { eventLog, factsLookMs: never })
    await facts.live(0)
    facts.eventLog.makeAnew(topic)
    await facts.publish([0, 1, 2, 3])
    await facts.live(0)
    takeTurn()
    await facts.publish([0])
    await vi.waitFor(() => facts.expectRight(), { timeout: 50_000, interval: 1 })
    await late.stop()
  })
})

/** The log as a member of a group sees it: nothing, until the other one has gone. */
function standingBy(eventLog: FactLog) {
  let takeTurn = () => {}
  const turn = new Promise<void>((resolve) => {
    takeTurn = resolve
  })
  let isReading = false
  void turn.then(() => {
    isReading = true
  })
  const seen: EventLog = {
    append: (name, messages) => eventLog.append(name, messages),
    begin: () => eventLog.begin(),
    end: (name) => eventLog.end(name),
    read: async (name, offset, limit) =>
      isReading || limit.messagesMax === 1 ? eventLog.read(name, offset, limit) : [],
    waitBeyond: async (name, offset, signal) => {
      await turn
      await eventLog.waitBeyond(name, offset, signal)
    },
    close: () => eventLog.close(),
  }
  return { eventLog: seen, takeTurn: () => takeTurn() }
}
