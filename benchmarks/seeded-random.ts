import { mulberry32 } from '../services/demo-chain/random.ts'

/** Reproducible random numbers. */
export interface SeededRandom {
  /** An integer in 0 .. end-1. */
  below(end: number): number
  /** The same, small numbers far more often: a few addresses make most of the traffic. */
  skewed(end: number): number
}

export function seededRandom(seed: number): SeededRandom {
  const next = mulberry32(seed)
  const fraction = () => next() / 2 ** 32
  return {
    below: (end) => Math.floor(fraction() * end),
    skewed: (end) => Math.floor(fraction() ** 3 * end),
  }
}
