import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fiatOf, fractionOf, fractionText, orderOf, rateOf } from './fiat.ts'

const amountMax = (1n << 256n) - 1n
const fraction = fc.record({
  digits: fc.bigInt({ min: 0n, max: amountMax }),
  scale: fc.nat(140),
})

describe('a price', () => {
  test.each(['', '-1', '+1', '1e3', '.5', '5.', '1.2.3', ' 1', '١', 'NaN', 'Infinity', '0x1'])(
    '%j is none',
    (text) => expect(rateOf(text)).toBeNull(),
  )

  test('is taken as it is written', () => {
    expect(rateOf('0')).toEqual({ digits: 0n, scale: 0 })
    expect(rateOf('0.000000000000000000012')).toEqual({ digits: 12n, scale: 21 })
    expect(rateOf('12.50')).toEqual({ digits: 1250n, scale: 2 })
  })

  test('of more digits than anybody means is none', () => {
    expect(rateOf('9'.repeat(60))).not.toBeNull()
    expect(rateOf('9'.repeat(61))).toBeNull()
    expect(rateOf(null)).toBeNull()
  })
})

describe('a fiat value', () => {
  const one = { digits: 1n, scale: 0 }

  test('is the balance at the price, exactly', () => {
    const value = fiatOf(amountMax, { digits: 1_000_001n, scale: 6 }, 18)
    expect(value && fractionText(value)).toBe(
      '115792205029405432739766408579672916541177837935625229680021.' + '623465497137553064639935',
    )
  })

  test('is unknown without decimals, or with more than there can be', () => {
    expect(fiatOf(1n, one, null)).toBeNull()
    expect(fiatOf(1n, one, 78)).toBeNull()
    expect(fiatOf(1n, one, 77)).toEqual({ digits: 1n, scale: 77 })
  })

  test('is zero of nothing, and at no price', () => {
    for (const value of [fiatOf(0n, one, 6), fiatOf(5n, { digits: 0n, scale: 3 }, 6)]) {
      expect(value && fractionText(value)).toBe('0')
    }
  })
})

test('texts say what they were made of', () => {
  fc.assert(
    fc.property(fraction, (value) => {
      const read = fractionOf(fractionText(value))
      expect(read && orderOf(read, 140)).toBe(orderOf(value, 140))
    }),
  )
})

const raised = ({ digits, scale: own }: { digits: bigint; scale: number }, scale: number) =>
  digits * 10n ** BigInt(scale - own)

test('the order is that of the numbers', () => {
  fc.assert(
    fc.property(fraction, fraction, (one, other) => {
      const scale = Math.max(one.scale, other.scale)
      const order = raised(one, scale) - raised(other, scale)
      // One of them may be longer than the greatest scale of a list.
      for (const scaleMax of [scale, Math.min(one.scale, other.scale)]) {
        const found = orderOf(one, scaleMax) - orderOf(other, scaleMax)
        expect([found < 0n, found > 0n]).toEqual([order < 0n, order > 0n])
      }
      expect(fractionText(one) === fractionText(other)).toBe(order === 0n)
    }),
  )
})

test('a fraction between two others that are shorter comes between them', () => {
  const [lower, upper] = [fractionOf('1.25'), fractionOf('1.26')]
  for (const text of ['1.2501', '1.259', `1.25${'0'.repeat(400)}1`]) {
    const between = fractionOf(text)
    const orders = [lower, between, upper].map((one) => one && orderOf(one, 2))
    expect(orders).toEqual([1_250n, 1_251n, 1_260n])
  }
  const equal = fractionOf('1.2500')
  expect(equal && orderOf(equal, 2)).toBe(1_250n)
})
