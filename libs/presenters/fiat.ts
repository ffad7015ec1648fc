/**
 * Fiat values, exact: a balance of 2^256-1 at a price with a fraction has more digits than any
 * float, and neighbours in a list must not change places by rounding.
 */

/** `digits / 10^scale`; both from 0. */
export interface Fraction {
  readonly digits: bigint
  readonly scale: number
}

/** The longest price that counts; real ones have some twenty characters. */
const rateCharactersMax = 60
const plainDecimal = /^([0-9]+)(?:\.([0-9]+))?$/
/** 10^77 is the greatest power of ten below 2^256: no contract can mean more decimals. */
const decimalsMax = 77

/** Parses a plain decimal number; null for any other text: signs, exponents, words. */
export function fractionOf(text: string): Fraction | null {
  const [, whole, fraction = ''] = plainDecimal.exec(text) ?? []
  if (whole === undefined) return null
  return { digits: BigInt(whole + fraction), scale: fraction.length }
}

/** A price that orders balances; null where it is none, or too long to be one. */
export const rateOf = (text: string | null): Fraction | null =>
  text === null || text.length > rateCharactersMax ? null : fractionOf(text)

/** Fiat value of an amount in smallest units; null if the decimals are unknown. */
export function fiatOf(value: bigint, rate: Fraction, decimals: number | null): Fraction | null {
  if (decimals === null || decimals < 0 || decimals > decimalsMax) return null
  return { digits: value * rate.digits, scale: rate.scale + decimals }
}

/**
 * An integer in the order of fractions whose scale is at most `scaleMax`: `digits * 10^(scaleMax -
 * scale)` and one digit more, which is 1 for a longer fraction between two of these.
 */
export function orderOf({ digits, scale }: Fraction, scaleMax: number): bigint {
  if (scale <= scaleMax) return digits * 10n ** BigInt(scaleMax - scale + 1)
  const divisor = 10n ** BigInt(scale - scaleMax)
  return (digits / divisor) * 10n + (digits % divisor === 0n ? 0n : 1n)
}

/** Plain decimal digits, without zeros at the end: equal fractions have equal texts. */
export function fractionText({ digits, scale }: Fraction): string {
  const text = digits.toString().padStart(scale + 1, '0')
  const whole = text.slice(0, text.length - scale)
  const fraction = text.slice(text.length - scale).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
