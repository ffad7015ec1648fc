import type { ExpectedList } from './lists.ts'
import { seeded } from './seeded.ts'
import { type NullForm, nullForms, type Place } from './walk.ts'

/** Which check of a file this is; see `scope.ts` for what follows from it. */
export interface Round {
  readonly seed: number
  /** 0 before any reorganisation, then 1, 2, ... */
  readonly nth: number
  /** Reorganisations that the file makes. */
  readonly last: number
}

/** Sizes of whole walks of lists that fit one page; null is a request that names none. */
const onePageSizes = [50, 100, null] as const
const shortSizes = [1, 7, 50, null] as const

/** Of a short walk; the first is of a random size. */
const shortPages = 4

export interface ShortWalk {
  readonly from?: Place
  readonly firstItemsCount?: number
  readonly itemsCount: number | null
  readonly nullForms: readonly [NullForm, ...NullForm[]]
  readonly pagesWanted: number
  /** Whether a page is asked with its nulls in each form. */
  readonly inAllForms: boolean
}

/** Whether a list is walked in this round. */
export function isDue({ variant, isBusiest }: ExpectedList, { nth, last }: Round): boolean {
  if (nth === 0 || isBusiest || variant === null) return true
  const turns = Math.min(last, variant.of)
  return variant.n % turns === (nth - 1) % turns
}

/** Sizes by which a list is walked to its end, one that takes the fewest pages first. */
export function wholeSizes(list: ExpectedList, round: Round): (number | null)[] {
  const n = seeded(round.seed, list.path, JSON.stringify(list.parameters), round.nth)
  if (list.facts.length <= 50) return [onePageSizes[n % onePageSizes.length] ?? null]
  return list.isBusiest && list.variant === null ? [100, 50] : [100]
}

/** The null forms, beginning with a random one. */
export function formsFrom(n: number): readonly [NullForm, ...NullForm[]] {
  const [one, other, third] = nullForms
  const orders = [[one, other, third] as const, [other, third, one] as const]
  return orders[n % 3] ?? [third, one, other]
}

/** @param places of the whole walk, to begin at. */
export function shortWalks(
  list: ExpectedList,
  round: Round,
  places: readonly Place[],
): ShortWalk[] {
  const { path, parameters, facts, isBusiest, variant } = list
  const cutting = shortSizes.filter((size) => (size ?? 50) < facts.length)
  const listed = seeded(round.seed, path, JSON.stringify(parameters))
  const random = (word: string) => seeded(listed, round.nth, word)
  const planned = (size: number | null) => shortWalk({ list, size, places, nth: round.nth, random })
  if (variant === null && isBusiest) return cutting.map(planned)
  if (variant !== null && !isBusiest && variant.n !== seeded(round.seed, path) % variant.of) {
    return []
  }
  // The same list takes the sizes by turns.
  const size = cutting[(listed + round.nth) % cutting.length]
  return size === undefined ? [] : [planned(size)]
}

interface Chosen {
  readonly list: ExpectedList
  readonly size: number | null
  readonly places: readonly Place[]
  readonly nth: number
  readonly random: (word: string) => number
}

function shortWalk({ list, size, places, nth, random }: Chosen): ShortWalk {
  const walk = {
    itemsCount: size,
    nullForms: formsFrom(random(`nulls ${size}`)),
    pagesWanted: shortPages,
    inAllForms: nth === 0,
  }
  // Who names no size begins at the start: later the cursor names it.
  if (size === null) return walk
  const from = places[(random(`place ${size}`) % (places.length + 1)) - 1]
  const left = list.facts.length - (from?.itemsBefore ?? 0)
  const firstItemsCount = 1 + (random(`first ${size}`) % Math.min(100, Math.max(1, left - 1)))
  return { ...walk, firstItemsCount, ...(from && { from }) }
}
