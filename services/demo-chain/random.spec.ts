import { expect, test } from 'vitest'
import { mulberry32 } from './random.ts'

test('the sequence of a seed never changes: seeds that failed once are kept', () => {
  const next = mulberry32(20_261_121)
  expect([next(), next(), next()]).toEqual([2_969_524_423, 1_512_158_564, 2_312_278_096])
})
