import { listPage, queryOfCursor } from '../explorer/cursor.ts'
import type { FetchPage } from '../explorer/explorer.ts'

/** The first pages of one list, or a body that is no list. */
export interface Walk {
  readonly status: number
  /** In order, of all its pages; null if the body is no list. */
  readonly items: readonly unknown[] | null
  /** Of the first page. */
  readonly body: unknown
  /** Whether there are further pages. */
  readonly hasMore: boolean
  readonly pages: number
  /** Of each page. */
  readonly heads: readonly (number | null)[]
}

/** Pages of one list, on each side. */
const pagesMax = 3

/** Follows the explorer's own cursors. @throws ExplorerError */
export async function walkOf(fetchPage: FetchPage, path: string): Promise<Walk> {
  const first = await fetchPage(path, {})
  const { status, body } = first
  const heads = [first.head]
  const single = { status, body, hasMore: false, pages: 1, heads }
  if (status !== 200) return { ...single, items: null }
  if (Array.isArray(body)) return { ...single, items: body }
  const parsed = listPage.safeParse(body)
  if (!parsed.success) return { ...single, items: null }
  const items = [...parsed.data.items]
  let next = parsed.data.next_page_params
  while (next !== null && heads.length < pagesMax) {
    const answer = await fetchPage(path, queryOfCursor(next))
    const later = listPage.safeParse(answer.body)
    if (!later.success) return { ...single, status: answer.status, items: null, heads }
    heads.push(answer.head)
    items.push(...later.data.items)
    next = later.data.next_page_params
  }
  return { status, body, items, hasMore: next !== null, pages: heads.length, heads }
}
