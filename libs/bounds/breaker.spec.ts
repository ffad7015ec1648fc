import { expect, test } from 'vitest'
import { Breaker } from './breaker.ts'

const limits = { failuresMax: 3, failureWindowMs: 1_000, pauseMsMin: 100, pauseMsMax: 1_500 }

test('opens at the last failure that a window allows, not for as many over a longer time', () => {
  const breaker = new Breaker(limits)
  expect([0, 600, 1_200, 1_800, 2_400].map((at) => breaker.failed(at))).not.toContain(true)
  expect([3_000, 3_100].map((at) => breaker.failed(at))).toEqual([false, true])
})

test.each(['closed', 'answered'] as const)('resets failures once %s', (done) => {
  const breaker = new Breaker(limits)
  breaker.failed(0)
  breaker.failed(1)
  breaker[done](2)
  expect([3, 4, 5].map((at) => breaker.failed(at))).toEqual([false, false, true])
})

test('an answer does not reset the pause: the next one is longer', () => {
  const breaker = new Breaker(limits)
  breaker.opened(0)
  breaker.closed(100)
  breaker.answered()
  breaker.answered()
  expect(breaker.opened(1_000)).toBe(200)
})

test('doubles the pause each time, up to a bound', () => {
  const breaker = new Breaker(limits)
  expect([0, 1, 2, 3, 4, 5].map((at) => breaker.opened(at))).toEqual([
    100, 200, 400, 800, 1_500, 1_500,
  ])
})

test('continues with longer pauses when it was closed only briefly', () => {
  const breaker = new Breaker(limits)
  breaker.opened(0)
  breaker.closed(100)
  expect(breaker.opened(1_599)).toBe(200)
  breaker.closed(2_000)
  expect(breaker.opened(3_500)).toBe(100)
})
