import { describe, expect, test } from 'vitest'
import type { Address } from '../../../libs/chain/hex.ts'
import { position } from '../../../libs/chain/position.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../../libs/ports/testing/memory-state-store.ts'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import { progress } from '../../../libs/tables/tables/progress.ts'
import {
  rateHoursKept,
  rateHourToken,
  tokenMarket,
  tokenRates,
} from '../../../libs/tables/tables/tokens.ts'
import { encodeMessage } from '../../../libs/topics/codec.ts'
import { type TokenFact, tokenFact, tokenFactKey } from '../../../libs/topics/facts/token-facts.ts'
import { until } from '../../../test/support/until.ts'
import { progressRows, writeProgress } from '../log-identity/marks.ts'
import { steps } from '../loop/commit.ts'
import { FactLog } from '../testing/fact-log.ts'
import { MemoryStore } from '../testing/memory-store.ts'
import { person } from '../testing/messages.ts'
import { toyGroup } from '../testing/toy-group.ts'
import { Killed, World } from '../testing/world.ts'
import { startDimensions } from './dimensions.ts'
import { RateBook } from './rate-book.ts'

const [one, other] = [person(1), person(2)]
const rate = (token: Address, exchangeRate: string | null, time = 5): TokenFact => ({
  ...{ kind: 'market', token, time, exchangeRate },
  ...{ volume24h: null, marketCap: null, circulatingSupply: null },
})
const begun = (hour: number): TokenFact => ({ kind: 'hour', time: hour * 3_600, hour })

/** Rows of token_rates that the last of these facts makes: token and rate, by hour. */
function lastRowsOf(book: RateBook, facts: readonly TokenFact[]) {
  const rows = facts.map((fact, at) => book.rowsOf(fact, position(at + 1))).at(-1) ?? []
  return rows.map(({ row }) => [row.hour, row.token, row.rate])
}

describe('the rates of an hour', () => {
  const book = () => new RateBook(memoryStateStore(), { tokensMax: 3 })

  test('are those told before it began, whatever time they say', () => {
    const facts = [rate(one, '1'), begun(9), rate(other, '2', 1), rate(one, '3', 9e9), begun(10)]
    expect(lastRowsOf(book(), facts.slice(0, 2))).toEqual([
      [9, rateHourToken, '1'],
      [9, one, '1'],
    ])
    expect(lastRowsOf(book(), facts)).toEqual([
      [10, rateHourToken, '2'],
      [10, one, '3'],
      [10, other, '2'],
    ])
  })

  test('are not told again by who comes late', () => {
    const facts = [rate(one, '1'), begun(9), rate(one, '2')]
    expect(lastRowsOf(book(), [...facts, begun(9)])).toEqual([])
    expect(lastRowsOf(book(), [...facts, begun(8)])).toEqual([])
  })

  test('leave out a token whose rate was withdrawn, and end when none is left', () => {
    const some = book()
    expect(some.matters).toBe(false)
    expect(lastRowsOf(some, [rate(one, '1'), rate(other, '2'), begun(9)])).toHaveLength(3)
    expect(lastRowsOf(some, [rate(one, null), rate(other, null), begun(10)])).toEqual([
      [10, rateHourToken, '0'],
    ])
    expect(some.matters).toBe(false)
  })

  test('are of so many tokens at most, and say how many more there are', () => {
    const some = book()
    const facts = [1, 2, 3, 4, 5].map((n) => rate(person(n), '1'))
    expect(lastRowsOf(some, [...facts, rate(one, '7'), begun(9)])).toHaveLength(4)
    expect(some.takeLeftOut()).toBe(2)
    expect(some.takeLeftOut()).toBe(0)
  })

  test('take the place of those of an hour long ago', () => {
    const slots = [9, 9 + rateHoursKept].map((hour) =>
      new RateBook(memoryStateStore()).rowsOf(begun(hour), position(1)).map(({ row }) => row.slot),
    )
    expect(slots[0]).toEqual(slots[1])
  })

  test('are never those of the address that stands for the hour', () => {
    expect(lastRowsOf(book(), [rate(rateHourToken, '9'), begun(9)])).toEqual([
      [9, rateHourToken, '0'],
    ])
  })

  test('are known to the next life, and forgotten where all facts are folded again', async () => {
    const state = memoryStateStore()
    const first = new RateBook(state)
    lastRowsOf(first, [rate(one, '1'), rate(other, '2'), begun(9), rate(one, null)])
    await state.commit(first.beginCommit())
    const second = new RateBook(state)
    expect([second.hour, second.tokens]).toEqual([9, 1])
    second.clear()
    await state.commit(second.beginCommit())
    expect(new RateBook(state).matters).toBe(false)
    expect(new RateBook(state).hour).toBe(0)
  })
})

test.each(['-1', '1e999', 'NaN', '', '1.', '.5', '0x10', '9'.repeat(101)])(
  'a rate of %j is no fact',
  (exchangeRate) => expect(tokenFact.safeParse(rate(one, exchangeRate)).success).toBe(false),
)

test.each([8, 10, 524_000])('hour %d is no fact of a time in hour 9', (hour) => {
  expect(tokenFact.safeParse({ ...begun(9), hour }).success).toBe(false)
  expect(tokenFact.safeParse(begun(9)).success).toBe(true)
})

describe('the projector of facts', () => {
  const worldOf = (eventLog: EventLog = memoryEventLog()) =>
    new World(toyGroup, {
      eventLog,
      store: new MemoryStore([tokenMarket, tokenRates, progress]),
      state: memoryStateStore(),
    })
  const chainId = 1
  const tell = ({ eventLog }: Pick<World, 'eventLog'>, ...facts: TokenFact[]) =>
    eventLog.append(
      'token-facts',
      facts.map((fact) => ({ key: tokenFactKey(fact), value: encodeMessage(fact) })),
    )
  const reach = ({ store }: World<MemoryStore>, sequence: number, timestamp: number) => {
    return writeProgress(store, progressRows(['state'], { position: sequence, timestamp }))
  }
  const ratesIn = ({ store }: Pick<World<MemoryStore>, 'store'>) =>
    Object.values(store.readAll().token_rates ?? {}).map((row) => {
      const { token, hour, rate: text } = JSON.parse(row)
      return [hour, token, text]
    })
  const limits = { rateHourLookMs: 1 }
  const facts = async ({ eventLog }: Pick<World, 'eventLog'>) => eventLog.end('token-facts')

  test('says that an hour of the chain has begun, once, and announces its time', async () => {
    const world = worldOf()
    await reach(world, 1, 7_300)
    await tell(world, rate(one, '1.5'))
    const metrics = startMetrics('projector')
    const projector = startDimensions({ ...world, chainId, limits, metrics })
    await projector.waitFor(2)
    await reach(world, 2, 10_799)
    await reach(world, 3, 10_800)
    await projector.waitFor(3)
    await projector.stop()
    expect(await facts(world)).toBe(3)
    expect(ratesIn(world)).toEqual([
      [2, one, '1.5'],
      [2, rateHourToken, '1'],
      [3, one, '1.5'],
      [3, rateHourToken, '1'],
    ])
    expect((await world.announcements()).at(-1)).toMatchObject({ time: 10_800, block: null })
    const samples = (await metrics.registry.metrics()).split('\n')
    expect(samples).toContain('foldscan_rated_tokens 1')
    expect(samples).toContain('foldscan_rate_hour_time_seconds 10800')
  })

  test('says nothing of hours as long as nothing has a rate', async () => {
    const world = worldOf()
    await reach(world, 1, 7_300)
    let looks = 0
    const query = world.store.query.bind(world.store)
    world.store.query = (sql) => {
      looks += 1
      return query(sql)
    }
    const projector = startDimensions({ ...world, chainId, limits })
    await tell(world, { kind: 'icon', token: one, time: 1, url: null })
    await projector.waitFor(1)
    await tell(world, rate(one, '1'))
    await until('an hour', async () => (await facts(world)) === 3)
    await projector.stop()
    expect(looks).toBeGreaterThan(0)
    expect(ratesIn(world)).toHaveLength(2)
  })

  test.each(steps)('has the rates of the hour after a kill at step "%s"', async (step) => {
    const world = worldOf()
    await tell(world, rate(one, '1'), begun(9), rate(one, '2'), rate(other, '3'), begun(10))
    const killed = startDimensions({
      ...world,
      chainId,
      between: async (at) => {
        if (at === step) throw new Killed(step)
      },
    })
    await killed.waitFor(5).catch((error) => expect(error).toBeInstanceOf(Killed))
    await killed.stop()
    await tell(world, rate(other, null), begun(11))
    const next = startDimensions({ ...world, chainId, limits: { readMessagesMax: 1 } })
    await next.waitFor(7)
    await next.stop()
    expect(ratesIn(world)).toEqual([
      [10, one, '2'],
      [10, other, '3'],
      [10, rateHourToken, '2'],
      [11, one, '2'],
      [11, rateHourToken, '1'],
      [9, one, '1'],
      [9, rateHourToken, '1'],
    ])
  })

  test.each([
    ['a lost volume', () => {}],
    ['a topic that was moved', (eventLog: FactLog) => eventLog.mirror('token-facts', false)],
  ])('keeps the rates of written hours over %s, whatever compaction left', async (_, happens) => {
    const eventLog = new FactLog()
    const world = worldOf(eventLog)
    const live = async (facts: number) => {
      const projector = startDimensions({ ...world, chainId, state: memoryStateStore() })
      await until('all facts', async () => projector.status().messages >= facts)
      await projector.stop()
    }
    await tell(world, rate(one, '1'), rate(other, '5'), begun(9), rate(one, '2'))
    await live(4)
    const written = ratesIn(world)
    expect(written).toHaveLength(3)
    eventLog.compact('token-facts', 0)
    happens(eventLog)
    await live(await eventLog.end('token-facts'))
    expect(ratesIn(world)).toEqual(written)
    await tell(world, begun(10))
    await live(await eventLog.end('token-facts'))
    expect(ratesIn(world)).toEqual(expect.arrayContaining([...written, [10, one, '2']]))
    expect((await world.announcements()).at(-1)).toMatchObject({ time: 36_000 })
  })
})
