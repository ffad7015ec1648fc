import type { Store } from '../../libs/ports/store.ts'
import type { ExpectedPage } from './measured-pages.ts'
import { stringsOf } from './naive-first-page.ts'

/** A list as a statement that reads and sorts all rows of its subject, with FINAL. */
export interface NaiveList {
  readonly path: string
  /** Parameters of the list itself. */
  readonly parameters: string
  readonly from: string
  readonly orderBy: string
  /** Text of the key of a row, and of an item. */
  readonly key: string
  readonly keyOf: (item: unknown) => string
  /** Text of the cursor after a row. */
  readonly cursor: string
}

const pageRows = 50

/** So many pages in a row, from page `first` on; `first` is 1 for the first page. */
export async function naivePages(
  store: Store,
  list: NaiveList,
  { first, count }: { readonly first: number; readonly count: number },
): Promise<ExpectedPage[]> {
  const { path, parameters, from, orderBy, key, keyOf, cursor } = list
  const skipped = Math.max(0, (first - 1) * pageRows - 1)
  const before = first === 1 ? 0 : 1
  const sql = `SELECT ${key} || ' ' || ${cursor} FROM ${from} ORDER BY ${orderBy}
    LIMIT ${count * pageRows + before} OFFSET ${skipped} SETTINGS final = 1`
  const rows = (await stringsOf(store, sql, '')).map((text) => {
    const at = text.lastIndexOf(' ')
    return { key: text.slice(0, at), cursor: text.slice(at + 1) }
  })
  return Array.from({ length: count }, (_, page) => {
    const begin = before + page * pageRows
    const after = rows[begin - 1]?.cursor
    const query = [parameters, ...(after === undefined ? [] : [after])].filter(Boolean).join('&')
    const keys = rows.slice(begin, begin + pageRows).map((row) => row.key)
    return { target: `/api/v2/${path}?${query}`, keys, keyOf }
  })
}
