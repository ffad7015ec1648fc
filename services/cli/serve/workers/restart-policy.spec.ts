import { expect, test } from 'vitest'
import { RestartPolicy } from './restart-policy.ts'

const limits = { windowMs: 10_000, restartsMaxPerWorker: 3, pauseMinMs: 100, pauseMaxMs: 500 }

test('a worker that ends again and again is restarted later each time', () => {
  const policy = new RestartPolicy(2, limits)
  const pauses = [0, 1, 2, 3, 4].map((atMs) => policy.ended(1, atMs))
  expect(pauses).toEqual([100, 200, 400, 500, 500])
})

test('another worker is restarted after the shortest pause', () => {
  const policy = new RestartPolicy(2, limits)
  policy.ended(1, 0)
  policy.ended(1, 1)
  expect(policy.ended(2, 2)).toBe(100)
})

test('nothing is restarted after more ends than three for each worker', () => {
  const policy = new RestartPolicy(2, limits)
  const pauses = [0, 1, 2, 3, 4, 5, 6].map((atMs) => policy.ended((atMs % 2) + 1, atMs))
  expect(pauses.slice(0, 6)).not.toContain(null)
  expect(pauses[6]).toBeNull()
})

test('ends are forgotten after the window', () => {
  const policy = new RestartPolicy(1, limits)
  for (const atMs of [0, 1, 2]) expect(policy.ended(1, atMs)).not.toBeNull()
  expect(policy.ended(1, 10_002)).toBe(100)
  expect(policy.ended(1, 10_003)).toBe(200)
})
