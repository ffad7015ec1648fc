import fc from 'fast-check'
import { expect, test } from 'vitest'
import { factVersion, offsetAfterVersion } from './fact-version.ts'

const place = fc.record({
  epoch: fc.nat({ max: 4_095 }),
  offset: fc.integer({ min: 0, max: 2 ** 38 - 1 }),
})

test('converts an offset and its version into each other, in the same order', () => {
  fc.assert(
    fc.property(place, place, (one, other) => {
      expect(offsetAfterVersion(factVersion(one))).toEqual(one)
      const order = one.epoch - other.epoch || one.offset - other.offset
      expect(Math.sign(factVersion(one) - factVersion(other))).toBe(Math.sign(order))
    }),
  )
})

test('is the offset in the first epoch, as all rows have it that know of none', () => {
  expect(factVersion({ epoch: 0, offset: 7 })).toBe(7)
})

test('of eight topics add up exactly', () => {
  const last = factVersion({ epoch: 4_095, offset: 2 ** 38 - 1 })
  expect(Number.isSafeInteger(8 * last)).toBe(true)
  expect(() => factVersion({ epoch: 4_096, offset: 0 })).toThrow('no version for offset 0')
})
