import { expect, test } from 'vitest'
import { bandMax, bandOf } from './band.ts'

/** By the definition: the greatest band with 2^band <= (value + 1)^16. */
const byDefinition = (value: bigint) => ((value + 1n) ** 16n).toString(2).length - 1

test('the band of a value is floor(16 log2(value + 1))', () => {
  for (let value = 0n; value < 3000n; value++) expect(bandOf(value)).toBe(byDefinition(value))
})

test('the band is exact beside every power of two and at its parts', () => {
  for (let band = 1; band <= bandMax; band += 7) {
    const near = BigInt(Math.floor(2 ** ((band % 16) / 16) * 2 ** 40)) << BigInt(band >> 4)
    for (const value of [near >> 40n, (near >> 40n) - 1n, (near >> 40n) + 1n]) {
      if (value < 0n || value >= 1n << 256n) continue
      expect(bandOf(value)).toBe(byDefinition(value))
    }
  }
})

test('nothing is in band 0 and the greatest amount in the last', () => {
  expect(bandOf(0n)).toBe(0)
  expect(bandOf((1n << 256n) - 1n)).toBe(bandMax)
  expect(bandOf((1n << 256n) - 2n)).toBe(bandMax - 1)
})
