import { mulberry32 } from '../../services/demo-chain/random.ts'
import { testSeed } from '../support/seed.ts'

/** Numbers that a seed decides, so that a walk that failed can be walked again. */
export interface Random {
  readonly seed: number
  /** An integer from 0 below `bound`. */
  below(bound: number): number
  oneOf<T>(list: readonly T[]): T
}

export function random(seed = testSeed): Random {
  const next = mulberry32(seed)
  const below = (bound: number) => next() % bound
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
