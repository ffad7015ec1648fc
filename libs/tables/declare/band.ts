/** Bands a doubling of the value: a trade that changes it by under about 4 % stays in its band. */
const bandsPerDoubling = 16
const doublings = 256
/** Of the greatest value, 2^256-1. */
export const bandMax = bandsPerDoubling * doublings

/**
 * The band of a value in `holders`: floor(16 log2(value + 1)), exact and monotone up to 2^256-1.
 * Floating point would put neighbours of a bound into the wrong band, and a walk would lose them.
 */
export function bandOf(value: bigint): number {
  let low = 0
  let high = bandMax
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((lowest[middle] ?? 0n) <= value) low = middle
    else high = middle - 1
  }
  return low
}

/** The least value of each band: ceil(2^(band / 16)) - 1. Small values leave some bands empty. */
const lowest: readonly bigint[] = (() => {
  const roots = Array.from({ length: bandsPerDoubling }, (_, part) =>
    sixteenthRoot(1n << BigInt(bandsPerDoubling * doublings + part)),
  )
  return Array.from({ length: bandMax + 1 }, (_, band) => {
    const part = band % bandsPerDoubling
    const floor = (roots[part] ?? 0n) >> BigInt(doublings - Math.floor(band / bandsPerDoubling))
    // A power of two is its own ceiling; all the others are irrational.
    return part === 0 ? floor - 1n : floor
  })
})()

/** Rounded down; rounding at each step does not change the last one. */
function sixteenthRoot(value: bigint): bigint {
  return squareRoot(squareRoot(squareRoot(squareRoot(value))))
}

function squareRoot(value: bigint): bigint {
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2))
  for (;;) {
    const next = (root + value / root) >> 1n
    if (next >= root) return root
    root = next
  }
}
