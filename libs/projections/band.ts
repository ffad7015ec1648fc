/** Bits of the mantissa that a double holds. */
const mantissaBits = 53
/** Far above the error of a logarithm in doubles, far below what tells two bands apart. */
const margin = 1e-9
const bandsPerDoubling = 16
const bandsInExponent = 16n

const bitsOf = (value: bigint): number => {
  const digits = value.toString(16)
  return digits.length * 4 - Math.clz32(Number.parseInt(digits.charAt(0), 16)) + 28
}

/**
 * floor(16 log2(value + 1)): 0 for nothing, 4,096 for 2^256-1; exact, so never falling as the
 * value rises. Doubles decide where they can, whole numbers where a bound is near.
 */
export function bandOf(value: bigint): number {
  const shifted = value + 1n
  const bits = bitsOf(shifted)
  const shift = Math.max(0, bits - mantissaBits)
  const band = bandsPerDoubling * (Math.log2(Number(shifted >> BigInt(shift))) + shift)
  const nearest = Math.round(band)
  if (Math.abs(band - nearest) > margin) return Math.floor(band)
  return bitsOf(shifted ** bandsInExponent) - 1
}
