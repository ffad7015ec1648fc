import { isDeepStrictEqual } from 'node:util'
import type { ExpectedList } from './lists.ts'
import { type Get, nullForms, walk } from './walk.ts'

/** Page sizes of the walks; null is a request that names none. */
export const pageSizes = [1, 7, 50, 100, null] as const

/** A list of more items than this is not walked one item a page: it would only take long. */
const singleStepsMax = 400

/**
 * Walks a list in every page size and null form.
 * @returns what differs from the expected list, a sentence each; empty if nothing does.
 */
export async function differencesOf(get: Get, list: ExpectedList): Promise<string[]> {
  const differences: string[] = []
  let first: readonly object[] | null = null
  for (const [n, itemsCount] of pageSizes.entries()) {
    if (itemsCount === 1 && list.facts.length > singleStepsMax) continue
    // The null forms matter where there is a second page; each size meets another one.
    for (const nullForm of n === 1 ? nullForms : nullForms.slice(n % 3, (n % 3) + 1)) {
      const { path, parameters } = list
      const said = `${path} ${JSON.stringify({ ...parameters, itemsCount, nullForm })}`
      try {
        const items = await walk(get, { path, parameters, itemsCount, nullForm })
        const facts = items.map(list.factOf)
        const difference = differenceOf(list, facts)
        if (difference !== null) differences.push(`${said}: ${difference}`)
        first ??= facts
        if (!isDeepStrictEqual(facts, first))
          differences.push(`${said}: order differs by page size`)
      } catch (error) {
        differences.push(`${said}: ${String(error)}`)
      }
    }
  }
  return differences
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
