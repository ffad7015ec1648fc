/** A stream of numbers that a seed decides: the same seed, the same traffic. */
export interface Random {
  /** An integer in 0 .. end-1. */
  below(end: number): number
  /** An integer in 0 .. end-1; low ones come far more often. */
  skewed(end: number): number
  /** True once in `n` times. */
  onceIn(n: number): boolean
  /** @throws if the list is empty. */
  pick<T>(from: readonly T[]): T
}

/**
 * Mulberry32: integers in 0 .. 2^32-1 that a seed decides. 32 bits of state are enough for traffic
 * and tests, and not for secrets.
 */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

export function randomOf(seed: number): Random {
  const next = mulberry32(seed)
  const unit = () => next() / 2 ** 32
  const below = (end: number) => Math.floor(unit() * end)
  return {
    below,
    skewed: (end) => Math.floor(unit() ** 3 * end),
    onceIn: (n) => below(n) === 0,
    pick(from) {
      const picked = from[below(from.length)]
      if (picked === undefined) throw new Error('nothing to pick from')
      return picked
    },
  }
}

/** One seed made of several numbers; FNV-1a over their 32-bit words. */
export function seedOf(...parts: readonly number[]): number {
  let sum = 0x811c9dc5
  for (const part of parts) {
    for (let shift = 0; shift < 32; shift += 8) {
      sum = Math.imul(sum ^ ((part >>> shift) & 0xff), 0x01000193)
    }
  }
  return sum >>> 0
}
