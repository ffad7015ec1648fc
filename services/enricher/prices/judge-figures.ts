import type { Figures } from './read-answer.ts'

/** What was published last, and an answer that waits until another one confirms it. */
export interface Known {
  /** Null before the first. */
  readonly published: Figures | null
  readonly held: Figures | null
}

export interface JudgeOptions {
  /** A price that is so many times another one has jumped. */
  readonly jumpFactor: number
}

/** `none`: there is nothing to publish. */
export type PriceResult = 'published' | 'held' | 'unchanged' | 'none'

/** Smaller changes of a figure are not worth a fact. */
const changeMin = 0.002

/**
 * A price that jumps, or is gone, waits for a second answer that is like it: one wrong answer of a
 * service must not value a token at a million.
 */
export function judge(
  { published, held }: Known,
  answer: Figures,
  options: JudgeOptions,
): PriceResult {
  const isNothing = answer.price === null && answer.icon === null
  if (published === null) return isNothing ? 'none' : 'published'
  const { price } = published
  if (price !== null && !isLike(price, answer.price, options)) {
    const isConfirmed = held !== null && isLike(held.price, answer.price, options)
    return isConfirmed ? 'published' : 'held'
  }
  return isOther(published, answer) ? 'published' : 'unchanged'
}

export function isLike(
  one: string | null,
  other: string | null,
  { jumpFactor }: JudgeOptions,
): boolean {
  if (one === null || other === null) return one === other
  const [a, b] = [Number(one), Number(other)]
  return a === 0 || b === 0 ? a === b : Math.max(a / b, b / a) <= jumpFactor
}

const numbers = ['price', 'volume24h', 'marketCap', 'circulatingSupply'] as const

const isOther = (before: Figures, after: Figures): boolean =>
  before.icon !== after.icon || numbers.some((name) => hasChanged(before[name], after[name]))

export function hasChanged(before: string | null, after: string | null): boolean {
  if (before === null || after === null) return before !== after
  const [one, other] = [Number(before), Number(after)]
  return Math.abs(one - other) > changeMin * Math.max(one, other)
}
