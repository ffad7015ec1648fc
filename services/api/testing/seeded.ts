import { mulberry32 } from '../../demo-chain/random.ts'

/** Numbers from 0 to below 1 that a seed decides. */
export function seeded(seed: number): () => number {
  const next = mulberry32(seed)
  return () => next() / 2 ** 32
}
