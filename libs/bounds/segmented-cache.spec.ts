import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SegmentedCache } from './segmented-cache.ts'

const cacheOf = (sizeMax: number) =>
  new SegmentedCache<{ readonly size: number }>({ sizeMax, sizeOf: ({ size }) => size })
const one = { size: 1 }

test('keeps what was asked for twice through a scan of any length', () => {
  const cache = cacheOf(16)
  for (const name of ['a', 'b']) cache.set(name, one)
  for (const name of ['a', 'b']) cache.use(name)
  for (let scanned = 0; scanned < 10_000; scanned++) cache.set(`scan ${scanned}`, one)
  expect(cache.peek('a')).toBe(one)
  expect(cache.peek('b')).toBe(one)
  expect(cache.peek('scan 0')).toBeUndefined()
  expect(cache.peek('scan 9999')).toBe(one)
})

test('takes an entry that is set again because it was old for one that is asked for again', () => {
  const cache = cacheOf(16)
  const renewed = { size: 1 }
  cache.set('a', one)
  cache.set('a', renewed)
  for (let scanned = 0; scanned < 100; scanned++) cache.set(`scan ${scanned}`, one)
  expect(cache.peek('a')).toBe(renewed)
})

test('does not protect what was only looked at', () => {
  const cache = cacheOf(16)
  cache.set('a', one)
  for (let scanned = 0; scanned < 100; scanned++) {
    cache.peek('a')
    cache.set(`scan ${scanned}`, one)
  }
  expect(cache.peek('a')).toBeUndefined()
})

test('gives what it protected longest without use one more time on probation', () => {
  const cache = cacheOf(4)
  for (const name of ['a', 'b', 'c', 'd']) {
    cache.set(name, one)
    cache.use(name)
  }
  expect(cache.peek('a')).toBe(one)
  cache.set('scan', one)
  expect(cache.peek('a')).toBeUndefined()
})

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

test(`never holds more than its size, and one value of a name (seed ${seed})`, () => {
  const step = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    isSet: fc.boolean(),
    size: fc.integer({ min: 1, max: 60 }),
  })
  const bounded = fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
    const cache = cacheOf(100)
    const newest = new Map<string, object>()
    for (const { name, isSet, size } of steps) {
      if (isSet) {
        const value = { size }
        newest.set(name, value)
        cache.set(name, value)
      } else cache.use(name)
      expect(cache.size).toBeLessThanOrEqual(100)
      const found = cache.peek(name)
      if (found !== undefined) expect(found).toBe(newest.get(name))
    }
  })
  fc.assert(bounded, { seed })
})
