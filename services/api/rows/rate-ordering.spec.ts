import { expect, test } from 'vitest'
import { address } from '../../../libs/chain/hex.ts'
import { position } from '../../../libs/chain/position.ts'
import { groupId } from '../../../libs/tables/declare/group-versions.ts'
import { rateHours, rateHoursKept } from '../../../libs/tables/tables/tokens.ts'
import { bucketOf } from '../../../libs/topics/changes.ts'
import { Dependencies } from '../clock/dependencies.ts'
import { InvalidationClock } from '../clock/invalidation-clock.ts'
import { runOnAnswers } from '../testing/answers.ts'
import { markOf, RateOrdering } from './rate-ordering.ts'

const token = address(`0x${'a'.repeat(40)}`)
const current = 500_000
const oldest = current - rateHoursKept + 1
const writtenRateHour = () => Promise.reject(new Error('nothing was missed'))

test('hours that cannot have rates are not queried, whatever a cursor says', async () => {
  const asked: number[] = []
  const run = runOnAnswers({
    async ratesOfHour(hour) {
      asked.push(hour)
      return hour < oldest ? null : new Map([[token, '1']])
    },
  })
  const clock = new InvalidationClock([{ name: 'token_rates', group: 'dimensions' }])
  const ordering = new RateOrdering({ run, clock, rateHour: () => current, writtenRateHour })
  const at = (hour: number) => {
    const dependent = { on: new Dependencies(clock.now, null), context: { isBehind: false } }
    return ordering.orderingAt({ mark: markOf(hour) }, dependent)
  }
  expect(await at(oldest)).toMatchObject({ hour: oldest, isChanged: false })
  for (let hour = oldest - 1; hour > oldest - 1_000; hour--) {
    expect(await at(hour)).toMatchObject({ hour: current, isChanged: true })
  }
  expect(asked).toEqual([oldest, current])
})

test('a page after the announcement of an hour waits for no read that began before', async () => {
  const rates = new Map([[token, '1']])
  let answerFirst = (_: null) => {}
  const first = new Promise<null>((resolve) => {
    answerFirst = resolve
  })
  const answers = [first, Promise.resolve(rates)]
  let hour = current - 1
  const run = runOnAnswers({ ratesOfHour: async () => (await answers.shift()) ?? null })
  const clock = new InvalidationClock([{ name: 'token_rates', group: 'dimensions' }])
  const ordering = new RateOrdering({ run, clock, rateHour: () => hour, writtenRateHour })
  const dependent = () => ({
    on: new Dependencies(clock.now, null),
    context: { isBehind: false },
  })
  // Any client may name the next hour, before all of its rates are stored.
  const early = ordering.orderingAt({ mark: markOf(current) }, dependent())
  clock.apply(clock.now.offset, {
    group: groupId('dimensions'),
    after: position(0),
    position: position(5),
    block: null,
    hash: null,
    time: current * 3_600,
    facts: null,
    moved: { token_rates: [bucketOf(rateHours)] },
  })
  hour = current
  const page = ordering.orderingAt(null, dependent())
  answerFirst(null)
  expect(await page).toMatchObject({ hour: current })
  await early
})

test('an hour whose announcement was unreadable is read from the tables', async () => {
  const asked: number[] = []
  const run = runOnAnswers({
    async ratesOfHour(hour) {
      asked.push(hour)
      return new Map([[token, '1']])
    },
  })
  const clock = new InvalidationClock([{ name: 'token_rates', group: 'dimensions' }])
  const ordering = new RateOrdering({
    ...{ run, clock, rateHour: () => current - 1 },
    writtenRateHour: async () => current,
  })
  clock.apply(clock.now.offset, null)
  const dependent = { on: new Dependencies(clock.now, null), context: { isBehind: false } }
  await ordering.orderingAt({ mark: 0 }, dependent)
  expect([asked, dependent.context.isBehind]).toEqual([[], false])
  expect(await ordering.orderingAt(null, dependent)).toMatchObject({ hour: current })
  // Late replicas may have told the hour.
  expect([asked, dependent.context.isBehind]).toEqual([[current], true])
})
