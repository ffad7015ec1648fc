import { expect } from 'vitest'
import { Checker, type CheckerOptions } from './checker.ts'
import { seeded } from './seeded.ts'

/** Writes, announcements, deliveries, questions and late readings of a run, together. */
const steps = 500

/** What a run finds wrong; equal seeds, equal runs. */
export async function complaintsOf(
  seed: number,
  about: CheckerOptions = {},
): Promise<readonly string[]> {
  const checker = new Checker(seeded(seed), about)
  await checker.run(steps)
  expect(checker.answered, `answers of seed ${seed}`).toBeGreaterThan(50)
  return checker.complaints
}
