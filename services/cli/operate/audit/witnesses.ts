import type { z } from 'zod'
import type {
  ContractAnswer,
  ContractCall,
  NodeReader,
} from '../../../../libs/adapters/rpc/node-reader.ts'
import { SourceError } from '../../../../libs/ports/chain-source.ts'
import type { Random } from '../../../demo-chain/random.ts'
import { queryOfCursor } from '../explorer/cursor.ts'
import { ExplorerError, type FetchPage } from '../explorer/explorer.ts'
import type { Finding, LookFailure, PageLook } from './finding.ts'

/** Whom an audit asks. */
export interface Witnesses {
  readonly api: FetchPage
  readonly node: NodeReader
  readonly random: Random
  /** Addresses whose logs are the coin's own. */
  readonly coinEmitters: ReadonlySet<string>
}

export type PageQuery = Readonly<Record<string, string>>

/** A page of Foldscan, and the block that it is of. */
export interface ShownPage<B> {
  /** Path and query. */
  readonly path: string
  readonly block: number
  /** Null for 404. */
  readonly body: B | null
}

/** @throws ExplorerError if there is no page of that form */
export async function shownPage<S extends z.ZodType>(
  api: FetchPage,
  { path, query = {}, schema }: { readonly path: string; readonly query?: PageQuery; schema: S },
): Promise<ShownPage<z.output<S>>> {
  const { status, head, body } = await api(path, query)
  const whole = pathWith(path, query)
  if (head === null) throw new ExplorerError('does not say of which block a page is')
  if (status === 404) return { path: whole, block: head, body: null }
  if (status !== 200) throw new ExplorerError(`returned ${status}`)
  const read = schema.safeParse(body)
  if (read.success) return { path: whole, block: head, body: read.data }
  const place = read.error.issues[0]?.path.join('.') ?? ''
  throw new ExplorerError(`returned a body of another form (${place})`)
}

function pathWith(path: string, query: PageQuery): string {
  const text = new URLSearchParams(query).toString()
  return text === '' ? path : `${path}?${text}`
}

interface ShownList<T> {
  readonly items: readonly T[]
  readonly next_page_params: Readonly<Record<string, unknown>> | null
}

interface WholeList<T> {
  readonly path: string
  readonly schema: z.ZodType<ShownList<T>>
  readonly pagesMax: number
}

const pageItems = '100'

/** All items of a list at one block; null if they are too many. @throws Moved, ExplorerError */
export async function wholeList<T>(
  api: FetchPage,
  { path, schema, pagesMax }: WholeList<T>,
): Promise<(ShownPage<ShownList<T>> & { readonly items: readonly T[] }) | null> {
  const first = await shownPage(api, { path, query: { items_count: pageItems }, schema })
  const items = [...(first.body?.items ?? [])]
  let next = first.body?.next_page_params ?? null
  for (let pages = 1; next !== null; pages++) {
    if (pages === pagesMax) return null
    const page = await shownPage(api, { path, query: queryOfCursor(next), schema })
    if (page.block !== first.block) throw new Moved('the pages of a list are of several blocks')
    items.push(...(page.body?.items ?? []))
    next = page.body?.next_page_params ?? null
  }
  return { ...first, items }
}

/** Answers of contracts in the state after the block of a page. @throws Moved, SourceError */
export async function answersAt(
  node: NodeReader,
  { block }: Pick<ShownPage<unknown>, 'block'>,
  calls: readonly ContractCall[],
): Promise<readonly ContractAnswer[]> {
  if (calls.length === 0) return []
  const header = await node.header(block)
  if (header === null) throw new Moved(`the node does not have block ${block} (yet)`)
  const answers = await node.answers(header, calls)
  if (answers !== null) return answers
  const isSame = (await node.header(block))?.hash === header.hash
  if (!isSame) throw new Moved(`block ${block} was replaced`)
  throw new SourceError('half-answer', `the node does not have the state of block ${block}`)
}

/** @throws Moved where the page is of an earlier block, or the node has another one by now */
export async function requireBlock(
  { node }: Witnesses,
  page: ShownPage<unknown>,
  block: { readonly number: number; readonly hash: string },
): Promise<void> {
  if (page.block < block.number) throw new Moved(`block ${block.number} is not indexed yet`)
  const header = await node.header(block.number)
  if (header?.hash !== block.hash) throw new Moved(`block ${block.number} was replaced`)
}

/** The chain moved between the two questions, or the node lacks a state. */
export class Moved extends Error {
  override readonly name = 'Moved'
}

/** Runs one look; what kept it from comparing becomes a value. */
export async function lookAt(
  path: string,
  compare: () => Promise<readonly Finding[]>,
): Promise<PageLook> {
  try {
    return { findings: await compare(), failure: null }
  } catch (error) {
    return failedLook(error, path)
  }
}

/** @throws the error, if it is neither Foldscan's nor the node's */
export const failedLook = (error: unknown, path: string): PageLook => ({
  findings: [],
  failure: { ...failureOf(error), path },
})

function failureOf(error: unknown): Pick<LookFailure, 'side' | 'reason'> {
  if (error instanceof ExplorerError) return { side: 'foldscan', reason: error.message }
  if (error instanceof SourceError) return { side: 'node', reason: error.message }
  if (error instanceof Moved) return { side: 'moved', reason: error.message }
  throw error
}

/** Some of them, in their order; all if there are no more. */
export function someOf<T>(random: Random, all: readonly T[], countMax: number): readonly T[] {
  if (all.length <= countMax) return all
  const places = all.map((_, place) => place)
  const chosen = new Set<number>()
  while (chosen.size < countMax) {
    const [place = 0] = places.splice(random.below(places.length), 1)
    chosen.add(place)
  }
  return all.filter((_, place) => chosen.has(place))
}
