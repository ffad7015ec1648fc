import { expect, test } from 'vitest'
import { address } from '../../../libs/chain/hex.ts'
import { rateHoursKept } from '../../../libs/tables/tokens.ts'
import { Dependencies } from '../invalidation/dependencies.ts'
import { InvalidationClock } from '../invalidation/invalidation-clock.ts'
import { runOnAnswers } from '../testing/answers.ts'
import { markOf, RateOrdering } from './rate-ordering.ts'

const token = address(`0x${'a'.repeat(40)}`)
const current = 500_000
const oldest = current - rateHoursKept + 1

test('hours that cannot have rates are not queried, whatever a cursor says', async () => {
  const asked: number[] = []
  const run = runOnAnswers({
    async ratesOfHour(hour) {
      asked.push(hour)
      return hour < oldest ? null : new Map([[token, '1']])
    },
  })
  const clock = new InvalidationClock([{ name: 'token_rates', group: 'dimensions' }])
  const ordering = new RateOrdering({ run, clock, rateHour: () => current })
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
