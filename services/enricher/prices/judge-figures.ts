import type { Figures } from './read-answer.ts'

/** An answer that waits until another one confirms it. */
export interface Held {
  readonly figures: Figures
  readonly at: number
}

export interface Known {
  /** What was published last; null before the first. */
  readonly published: Figures | null
  /** Whether this source has had a price for it: one of others it cannot take away. */
  readonly isOwn: boolean
  readonly held: Held | null
}

export interface JudgeOptions {
  /** A price that is so many times another one has jumped. */
  readonly jumpFactor: number
  /** In ms: so long a price must have been gone before it is taken away. */
  readonly goneAfterMs: number
}

/** `none`: there is nothing to publish. */
export type PriceResult = 'published' | 'held' | 'unchanged' | 'none'

/** Smaller changes are not worth a fact: of a price, and of the other figures. */
const [priceChangeMin, otherChangeMin] = [0.002, 0.05]

/**
 * A price that jumps waits for a second answer that is like it, and one that is gone for a day of
 * such answers: a service that is wrong for a while must value no token at a million or at nothing.
 */
export function judge(
  { published, isOwn, held }: Known,
  answer: Figures,
  { now, ...options }: JudgeOptions & { readonly now: number },
): PriceResult {
  const isNothing = answer.price === null && answer.icon === null
  if (published === null) return isNothing ? 'none' : 'published'
  const { price } = published
  if (price !== null && answer.price === null) {
    if (!isOwn) return 'none'
    const isGone = held?.figures.price === null && now - held.at >= options.goneAfterMs
    return isGone ? 'published' : 'held'
  }
  if (price !== null && !isLike(price, answer.price, options)) {
    const isConfirmed = held !== null && isLike(held.figures.price, answer.price, options)
    return isConfirmed ? 'published' : 'held'
  }
  return isOther(published, answer) ? 'published' : 'unchanged'
}

export function isLike(
  one: string | null,
  other: string | null,
  { jumpFactor }: Pick<JudgeOptions, 'jumpFactor'>,
): boolean {
  if (one === null || other === null) return one === other
  const [a, b] = [Number(one), Number(other)]
  return a === 0 || b === 0 ? a === b : Math.max(a / b, b / a) <= jumpFactor
}

const others = ['volume24h', 'marketCap', 'circulatingSupply'] as const

const isOther = (before: Figures, after: Figures): boolean =>
  before.icon !== after.icon ||
  hasChanged(before.price, after.price) ||
  others.some((name) => hasChanged(before[name], after[name], otherChangeMin))

export function hasChanged(
  before: string | null,
  after: string | null,
  changeMin = priceChangeMin,
): boolean {
  if (before === null || after === null) return before !== after
  const [one, other] = [Number(before), Number(after)]
  return Math.abs(one - other) > changeMin * Math.max(one, other)
}
