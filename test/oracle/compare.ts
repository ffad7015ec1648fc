import { isDeepStrictEqual } from 'node:util'
import type { BareList, ExpectedList } from './lists.ts'
import { formsFrom, type Round, type ShortWalk, shortWalks, wholeSizes } from './plan.ts'
import { seeded } from './seeded.ts'
import { type Get, nullForms, type Walked, walk } from './walk.ts'

/**
 * Walks a list to its end and in short walks, as `scope.ts` describes.
 * @returns what differs from the expected list, a sentence each; empty if nothing does.
 */
export async function differencesOf(get: Get, list: ExpectedList, round: Round): Promise<string[]> {
  const { path, parameters } = list
  const differences: string[] = []
  const noting = async (said: object, differenceIn: () => Promise<string | null>) => {
    const difference = await differenceIn().catch(String)
    if (difference === null) return
    differences.push(`${path} ${JSON.stringify({ ...parameters, ...said })}: ${difference}`)
  }
  const nullForms = formsFrom(seeded(round.seed, path, round.nth))
  const walked: Walked[] = []
  for (const itemsCount of wholeSizes(list, round)) {
    await noting({ itemsCount, nullForms }, async () => {
      const whole = await walk(get, { path, parameters, itemsCount, nullForms })
      walked.push(whole)
      return (
        differenceOf(list, whole.items.map(list.factOf)) ?? sameItems(whole, walked[0] ?? whole, 0)
      )
    })
  }
  const [whole] = walked
  if (!whole) return differences
  for (const planned of shortWalks(list, round, whole.places)) {
    await noting(planned, () => differenceInShort(get, { list, whole, planned }))
  }
  return differences
}

interface Short {
  readonly list: ExpectedList
  readonly whole: Walked
  readonly planned: ShortWalk
}

/** What differs from the whole walk, then its second page with nulls in each form. */
async function differenceInShort(
  get: Get,
  { list, whole, planned }: Short,
): Promise<string | null> {
  const { path, parameters } = list
  const short = await walk(get, { path, parameters, ...planned })
  const start = planned.from?.itemsBefore ?? 0
  const [from] = short.places
  const difference = sameItems(short, whole, start)
  if (difference !== null || !from || !planned.inAllForms) return difference
  const { itemsCount } = planned
  for (const form of nullForms) {
    const asked = { path, parameters, itemsCount, nullForms: [form], pagesWanted: 1, from } as const
    const differs = sameItems(await walk(get, asked), whole, from.itemsBefore)
    if (differs !== null) return `nulls as ${form}: ${differs}`
  }
  return null
}

/** Not the facts only: the whole items. */
function sameItems(walked: Walked, whole: Walked, start: number): string | null {
  const end = start + walked.items.length
  if (walked.isWhole && end < whole.items.length) return `it ends after ${end} items`
  const expected = whole.items.slice(start, end)
  const at = walked.items.findIndex((item, n) => !isDeepStrictEqual(item, expected[n]))
  return at < 0 ? null : `item ${start + at} is another one than on the walk of the whole list`
}

/** The first place at which a walked list is not the expected one. */
export function differenceOf(list: BareList, walked: readonly object[]): string | null {
  const [expected, got] = [inRanks(list, list.facts), inRanks(list, walked)]
  const at = expected.findIndex((fact, n) => !isDeepStrictEqual(fact, got[n]))
  if (at < 0 && expected.length === got.length) return null
  const place = at < 0 ? expected.length : at
  const [wanted, shown] = [JSON.stringify(expected[place]), JSON.stringify(got[place])]
  return `item ${place} of ${expected.length} (${got.length} walked): ${shown} is not ${wanted}`
}

/** Brings neighbours of one rank into an order of their own. */
function inRanks({ rankOf }: BareList, facts: readonly object[]): readonly object[] {
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
