import { expect, test } from 'vitest'
import { silentLog } from '../../libs/signals/log.ts'
import { followedFamilies } from './clock/follow-changes.ts'
import { InvalidationClock } from './clock/invalidation-clock.ts'
import { ClientAddresses } from './request/limits/client-address.ts'
import { LargeLoads } from './rows/large-loads.ts'
import { RateOrdering } from './rows/rate-ordering.ts'
import type { RunQuestion } from './rows/run-question.ts'
import { runOnAnswers } from './testing/answers.ts'
import { uncachedHandler } from './uncached-handler.ts'

test('each page is read from the tables, also one that nothing has changed since', async () => {
  let reads = 0
  const answers = runOnAnswers({})
  const run: RunQuestion = (question, options, context) => {
    reads += 1
    return answers(question, options, context)
  }
  const clock = new InvalidationClock(followedFamilies)
  const hours = { rateHour: () => 0, writtenRateHour: async () => 0 }
  const handler = uncachedHandler({
    ...{ clock, log: silentLog },
    sources: {
      ...{ run, chainId: 1, publishedTypes: false, largeLoads: new LargeLoads() },
      ...{ clients: new ClientAddresses([]), rates: new RateOrdering({ run, clock, ...hours }) },
      head: () => ({ block: 7, time: 1_700_000_000 }),
    },
  })
  const path = `/api/v2/addresses/0x${'01'.repeat(20)}/logs`
  const request = { method: 'GET', path, query: '', headers: {}, client: '0.0.0.0' }
  const counts: number[] = []
  for (let times = 0; times < 3; times++) {
    const { status, headers } = await handler(request)
    expect([status, headers['x-indexed-block']]).toEqual([200, '7'])
    counts.push(reads)
    reads = 0
  }
  expect(counts[0]).toBeGreaterThan(0)
  expect(counts.every((count) => count === counts[0])).toBe(true)
})
