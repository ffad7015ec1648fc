import { isDeepStrictEqual } from 'node:util'
import type { ExpectedList } from './lists.ts'
import { type Get, type NullForm, nullForms, walk } from './walk.ts'

/** Page sizes of the walks; null is a request that names none. */
const pageSizes = [1, 7, 50, 100, null] as const

/** Small pages are walked so far, great ones to the end. */
const smallPagesWanted = 6

interface PlannedWalk {
  readonly itemsCount: number | null
  readonly nullForm: NullForm
  readonly pagesWanted: number
}

/**
 * Walks a list in every page size that differs for it, and in every null form.
 * @returns what differs from the expected list, a sentence each; empty if nothing does.
 */
export async function differencesOf(get: Get, list: ExpectedList): Promise<string[]> {
  const { path, parameters } = list
  const differences: string[] = []
  let order: readonly object[] = []
  for (const planned of walksOf(list.facts.length)) {
    const said = `${path} ${JSON.stringify({ ...parameters, ...planned })}`
    try {
      const { items, isWhole } = await walk(get, { path, parameters, ...planned })
      const facts = items.map(list.factOf)
      const difference = isWhole ? differenceOf(list, facts) : null
      if (difference !== null) differences.push(`${said}: ${difference}`)
      if (isWhole && order.length === 0) order = facts
      if (!isDeepStrictEqual(facts, order.slice(0, facts.length))) {
        differences.push(`${said}: the order differs by page size`)
      }
    } catch (error) {
      differences.push(`${said}: ${String(error)}`)
    }
  }
  return differences
}

/** One whole walk first, then each size that cuts the list; every null form on the smallest. */
function walksOf(count: number): PlannedWalk[] {
  const whole = pageSizes.find((size) => (size ?? 50) >= count) ?? 100
  const cutting = pageSizes.filter((size) => (size ?? 50) < count)
  return [...new Set([whole, ...cutting.toReversed()])].flatMap((itemsCount, n) => {
    const forms = itemsCount === 1 ? nullForms : nullForms.slice(n % 3, (n % 3) + 1)
    const isSmall = (itemsCount ?? 50) < 50 && itemsCount !== whole
    const pagesWanted = isSmall ? smallPagesWanted : Number.POSITIVE_INFINITY
    return forms.map((nullForm) => ({ itemsCount, nullForm, pagesWanted }))
  })
}

/** The first place at which a walked list is not the expected one. */
export function differenceOf(list: ExpectedList, walked: readonly object[]): string | null {
  const [expected, got] = [inRanks(list, list.facts), inRanks(list, walked)]
  const at = expected.findIndex((fact, n) => !isDeepStrictEqual(fact, got[n]))
  if (at < 0 && expected.length === got.length) return null
  const place = at < 0 ? expected.length : at
  const [wanted, shown] = [JSON.stringify(expected[place]), JSON.stringify(got[place])]
  return `item ${place} of ${expected.length} (${got.length} walked): ${shown} is not ${wanted}`
}

/** Brings neighbours of one rank into an order of their own. */
function inRanks({ rankOf }: ExpectedList, facts: readonly object[]): readonly object[] {
  if (!rankOf) return facts
  const ranked: object[] = []
  for (let start = 0; start < facts.length; ) {
    const first = facts[start]
    if (first === undefined) break
    const rank = rankOf(first)
    let end = start
    for (let next = facts[end]; next && rankOf(next) === rank; next = facts[end]) end++
    ranked.push(...facts.slice(start, end).sort((a, b) => (text(a) < text(b) ? -1 : 1)))
    start = end
  }
  return ranked
}

const text = (fact: object): string => JSON.stringify(fact)
