/** Reproducible chance. */
export interface Dice {
  /** An integer in 0 .. end-1. */
  below(end: number): number
  /** The same, small numbers far more often: a few addresses make most of the traffic. */
  skewed(end: number): number
}

/** Mulberry32: 32 bits of state, good enough to spread benchmark data. */
export function dice(seed: number): Dice {
  let state = seed >>> 0
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    below: (end) => Math.floor(fraction() * end),
    skewed: (end) => Math.floor(fraction() ** 3 * end),
  }
}
