import { expect, it } from 'vitest'
import { KeyLimit, successesMin } from './key-limit.ts'

/** Full queries, each of which succeeds with at most so many keys. @returns the keys of each */
function runFull(limit: KeyLimit, count: number, keysMax: number): number[] {
  return Array.from({ length: count }, () => {
    const { keys } = limit
    if (keys > keysMax) limit.tooMany(keys)
    else limit.succeeded(keys)
    return keys
  })
}

it('is halved until queries succeed, and then mostly stays there', () => {
  const limit = new KeyLimit(64)
  expect(runFull(limit, 3, 20)).toEqual([64, 32, 16])
  const later = runFull(limit, 1_000, 20)
  expect(later.filter((keys) => keys > 20).length).toBeLessThanOrEqual(1_000 / successesMin)
  expect(Math.min(...later)).toBe(16)
  // The next size, 25, is too large.
  expect(later.filter((keys) => keys <= 20).every((keys) => keys === 16 || keys === 20)).toBe(true)
})

it('grows to its maximum again once more keys succeed', () => {
  const limit = new KeyLimit(64)
  runFull(limit, 6, 1)
  expect(limit.keys).toBe(1)
  runFull(limit, 3 * successesMin, 64)
  expect(limit.keys).toBe(64)
})

it('is halved again where what succeeded before is too many now', () => {
  const limit = new KeyLimit(64)
  runFull(limit, 200, 40)
  expect(limit.keys).toBeGreaterThanOrEqual(32)
  runFull(limit, 4, 10)
  expect(limit.keys).toBeLessThanOrEqual(10)
})

it('does not change with queries that are not full', () => {
  const limit = new KeyLimit(64)
  runFull(limit, 1, 40)
  for (let query = 0; query < 1_000; query++) limit.succeeded(31)
  expect(limit.keys).toBe(32)
})

it('is at least one key', () => {
  const limit = new KeyLimit(1)
  limit.tooMany(1)
  expect(limit.keys).toBe(1)
})
