import { z } from 'zod'
import { ExplorerError, type FetchPage } from '../explorer/explorer.ts'
import { type Difference, fieldsThatDiffer, itemsThatDiffer } from './differences.ts'
import { type KnownDifference, knownOf, movesWithHead } from './known-differences.ts'
import { type Walk, walkOf } from './walk.ts'

/** Two explorers. */
export interface Sides {
  readonly here: FetchPage
  readonly there: FetchPage
}

/** First pages of an endpoint to compare. */
export interface ComparedPath {
  /** As the API declares it: `/api/v2/tokens/{address_hash}`. */
  readonly endpoint: string
  readonly path: string
}

/** What became of one path: its first pages on both sides. */
export interface Compared extends ComparedPath {
  /**
   * `moved`: the two were at different blocks at each attempt, and what differs may be due to that.
   * `failed`: one of them returned no page.
   */
  readonly outcome: 'equal' | 'differs' | 'moved' | 'failed'
  readonly differences: readonly Difference[]
  readonly known: readonly KnownDifference[]
  /** Compared pages of each side, at least. */
  readonly pages: number
  /** Why it failed, and which side. */
  readonly reason: string | null
  /** Bodies of our side: they name further subjects. */
  readonly bodies: readonly unknown[]
}

const attemptsMax = 2

/** Compares the first pages of a path; again if they differ, as a chain moves meanwhile. */
export async function comparePath(sides: Sides, page: ComparedPath): Promise<Compared> {
  for (let attempt = 1; ; attempt++) {
    const walks = await walksOf(sides, page.path)
    if ('reason' in walks) return { ...nothing, ...page, outcome: 'failed', reason: walks.reason }
    const compared = compareWalks(page.path, walks)
    if (compared.outcome === 'equal' || attempt === attemptsMax) return { ...compared, ...page }
  }
}

const nothing = { differences: [], known: [], pages: 0, reason: null, bodies: [] }

async function walksOf(
  { here, there }: Sides,
  path: string,
): Promise<{ here: Walk; there: Walk } | { reason: string }> {
  const failed = (side: string) => (error: unknown) => {
    if (error instanceof ExplorerError) return { reason: `${side} ${error.message}` }
    throw error
  }
  const [ours, theirs] = await Promise.all([
    walkOf(here, path).catch(failed('here')),
    walkOf(there, path).catch(failed('there')),
  ])
  if ('reason' in ours) return ours
  if ('reason' in theirs) return theirs
  return { here: ours, there: theirs }
}

/** Compares what two explorers answered for one path. */
function compareWalks(
  path: string,
  { here, there }: { readonly here: Walk; readonly there: Walk },
): Omit<Compared, keyof ComparedPath> {
  const heads = [...here.heads, ...there.heads]
  const isStill = heads.every((head) => head !== null && head === heads[0])
  const pages = Math.min(here.pages, there.pages)
  const found = { ...nothing, pages, bodies: here.items ?? [here.body] }
  if (isUnknownAddress(path, here, there))
    return { ...found, outcome: 'equal', known: [unknownAddress] }
  const all = [...differencesOf(here, there)]
  const byBlock = [...(here.items ?? [null]), ...(there.items ?? [null])].every(hasBlock)
  // Without a head on either side nothing says that they moved.
  const mayMove = !isStill && heads.some((head) => head !== null)
  const kept = mayMove && byBlock ? all.filter(({ field }) => !movesWithHead.test(field)) : all
  const differences: Difference[] = []
  const known: KnownDifference[] = []
  for (const difference of kept) {
    const row = knownOf(difference)
    if (row === null) differences.push(difference)
    else known.push(row)
  }
  if (differences.length === 0) return { ...found, outcome: 'equal', known }
  if (mayMove && !byBlock) return { ...found, outcome: 'moved', known }
  return { ...found, outcome: 'differs', differences, known }
}

const unknownAddress: KnownDifference = {
  decision: 6,
  why: 'an unknown address is 200 with an empty list',
  fields: /^status$/,
  when: 'any',
}

/** Tokens and transactions that are unknown are 404 here, too. */
const isUnknownAddress = (path: string, here: Walk, there: Walk): boolean =>
  path.startsWith('/api/v2/addresses/') &&
  here.status === 200 &&
  here.items?.length === 0 &&
  there.status === 404

function differencesOf(here: Walk, there: Walk): Iterable<Difference> {
  if (here.status !== there.status) {
    return [{ field: 'status', item: null, here: here.status, there: there.status }]
  }
  // Texts of errors are for people.
  if (here.status !== 200) return []
  if (here.items !== null && there.items !== null) {
    const head = lowest([...here.heads, ...there.heads])
    return itemsThatDiffer(upTo(head, here), upTo(head, there))
  }
  return [...fieldsThatDiffer(here.body, there.body)].map((one) => ({ ...one, item: null }))
}

/** Null of a pending transaction. */
const inBlock = z.looseObject({ block_number: z.number().nullable() })
const hasBlock = (item: unknown): boolean => inBlock.safeParse(item).success

const lowest = (heads: readonly (number | null)[]): number =>
  Math.min(...heads.map((head) => head ?? Number.POSITIVE_INFINITY))

/** Without what is in blocks that the other side lacks, or is pending (contract, decision 50). */
function upTo(head: number, { items, hasMore }: Walk) {
  const isComparable = (item: unknown) => {
    const { data } = inBlock.safeParse(item)
    return data === undefined || (data.block_number !== null && data.block_number <= head)
  }
  return { items: (items ?? []).filter(isComparable), hasMore }
}
