import { testSeed } from '../support/seed.ts'

/** Numbers that a seed decides (mulberry32), so that a walk that failed can be walked again. */
export interface Random {
  readonly seed: number
  /** An integer from 0 below `bound`. */
  below(bound: number): number
  oneOf<T>(list: readonly T[]): T
}

export function random(seed = testSeed): Random {
  let state = seed >>> 0
  const below = (bound: number) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound
  }
  return {
    seed,
    below,
    oneOf(list) {
      const [picked] = list.slice(below(list.length))
      if (picked === undefined) throw new Error('nothing to pick from')
      return picked
    },
  }
}
