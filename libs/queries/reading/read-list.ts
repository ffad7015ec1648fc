import { ResultTooLarge } from '../../ports/store.ts'
import type { Versioned } from '../../tables/declare/table.ts'
import {
  fewRows,
  fewRowsBytesMax,
  type PageSize,
  ReadLimitExceeded,
  resultBytesMax,
} from './read-limits.ts'
import { currentByKey, type Keyed } from './versions.ts'

/** Fetches a list in its order, without FINAL. */
export interface Fetcher<R> {
  /**
   * The next rows in order, strictly after the cursor key of `last`.
   * @param bytesMax of the result, for lists of long rows
   * @throws ResultTooLarge
   */
  readonly fetch: (last: R | null, rowsMax: number, bytesMax: number) => Promise<readonly R[]>
  /** Largest fetch; smaller for wide rows. */
  readonly fetchRowsMax: number
  /**
   * All versions of the keys of these rows, if a fetch does not return them: because its query
   * filters out tombstones, or sorts by columns outside the key. A fetched row may then be an old
   * version, and counts only if it is the newest.
   */
  readonly versionsOf?: (rows: readonly R[]) => Promise<readonly R[]>
}

export interface ListSource<R> extends Fetcher<R> {
  readonly table: Keyed<R>
  /** What a cursor can distinguish. Rows with one cursor key are never split between fetches. */
  readonly cursorKey: (row: R) => string
  /** For lists with many tombstones: a query that skips them. */
  readonly skipping?: Fetcher<R>
}

/** Rows in addition to the requested ones, for versions that are not merged yet. */
export const slackRows = 16
/** Growth of each fetch after the first; fetches of long rows shrink by it. */
const growth = 4
/** Fetches before the query that skips tombstones is used. */
const plainFetchesMax = 2
const fetchesMax = 24
/** Fetches of a list with long rows, few at a time. */
const smallFetchesMax = 256

/**
 * The first `wanted` current rows, fewer if these fill a page. `complete` may add lookups and
 * filter rows; filtered rows do not count.
 * @throws ReadLimitExceeded if the page is not full after the maximum number of fetches.
 */
export async function readList<R extends Versioned, O>(
  source: ListSource<R>,
  wanted: number | PageSize<O>,
  complete: (rows: readonly R[]) => Promise<readonly O[]>,
): Promise<O[]> {
  const size = typeof wanted === 'number' ? { rows: wanted, isFull: () => false } : wanted
  const found: O[] = []
  const fetches = new Fetches(source, size.rows + slackRows)
  let last: R | null = null
  while (fetches.isLeft) {
    const fetched: Fetched<R> | null = await fetches.next(last)
    if (fetched === null) continue
    const { by, isLast } = fetched
    const rows: readonly R[] = isLast
      ? fetched.rows
      : withoutLastGroup(fetched.rows, source.cursorKey)
    const versions = by.versionsOf && rows.length > 0 ? await by.versionsOf(rows) : rows
    found.push(...(await complete(currentRows(source.table, rows, versions))))
    if (isLast || found.length >= size.rows) return found.slice(0, size.rows)
    if (size.isFull(found)) return found
    last = rows.at(-1) ?? last
    fetches.grow(rows.length > 0)
  }
  throw new ReadLimitExceeded(source.table.name, fetches.rowsRead)
}

interface Fetched<R> {
  readonly rows: readonly R[]
  /** The end of the list. */
  readonly isLast: boolean
  readonly by: Fetcher<R>
}

/** Size of the next fetch: growing, but smaller for long rows. */
class Fetches<R> {
  rowsRead = 0
  private readonly source: ListSource<R>
  private rowsMax: number
  private bytesMax = resultBytesMax
  private count = 0
  private isSmall = false

  constructor(source: ListSource<R>, rowsMax: number) {
    this.source = source
    this.rowsMax = rowsMax
  }

  get isLeft(): boolean {
    return this.count < (this.isSmall ? smallFetchesMax : fetchesMax)
  }

  /** @returns null if the result was too large: the next fetch is smaller. */
  async next(last: R | null): Promise<Fetched<R> | null> {
    const { source } = this
    const isPlain = this.isSmall || this.count < plainFetchesMax
    const by: Fetcher<R> = (isPlain ? null : source.skipping) ?? source
    this.count += 1
    this.rowsMax = Math.min(this.rowsMax, by.fetchRowsMax)
    try {
      const rows = await by.fetch(last, this.rowsMax, this.bytesMax)
      this.rowsRead += rows.length
      return { rows, isLast: rows.length < this.rowsMax, by }
    } catch (error) {
      if (!(error instanceof ResultTooLarge) || this.bytesMax === fewRowsBytesMax) throw error
      this.shrink()
      return null
    }
  }

  /** @param isFound whether the last fetch returned any row: else all were versions of one. */
  grow(isFound: boolean): void {
    if (this.isSmall) this.bytesMax = isFound ? resultBytesMax : fewRowsBytesMax
    if (!this.isSmall || !isFound) this.rowsMax *= growth
  }

  private shrink(): void {
    this.isSmall = true
    if (this.rowsMax > fewRows) {
      this.rowsMax = Math.max(fewRows, Math.floor(this.rowsMax / growth))
    } else this.bytesMax = fewRowsBytesMax
  }
}

/** `complete` that returns the rows as read. */
export const unfiltered = async <R>(rows: readonly R[]): Promise<readonly R[]> => rows

/** Drops rows with the last cursor key: further versions of them may follow after the fetch. */
export function withoutLastGroup<R>(
  rows: readonly R[],
  cursorKey: (row: R) => string,
): readonly R[] {
  const last = rows.at(-1)
  if (last === undefined) return rows
  const lastKey = cursorKey(last)
  return rows.slice(0, rows.findLastIndex((row) => cursorKey(row) !== lastKey) + 1)
}

/** Those of `rows`, in their order, that are the newest version and no tombstone. */
export function currentRows<R extends Versioned>(
  table: Keyed<R>,
  rows: readonly R[],
  versions: readonly R[],
): R[] {
  const winners = currentByKey(table, versions)
  return rows.filter((row) => {
    const key = table.keyOf(row)
    if (winners.get(key)?.position !== row.position) return false
    // A row that was delivered twice is listed once.
    winners.delete(key)
    return true
  })
}
