import { ResultTooLarge } from '../ports/store.ts'
import type { Versioned } from '../tables/table.ts'
import { ReadingBound } from './reading-bound.ts'
import { fewRows, fewRowsBytesMax, type PageSize, resultBytesMax } from './result-size.ts'
import { type Keyed, living } from './versions.ts'

/** A way to fetch a list in its order, without FINAL. */
export interface Fetching<R> {
  /**
   * The next rows in order, strictly after the place of `last`.
   * @param bytesMax of the result, for lists of long rows
   * @throws ResultTooLarge
   */
  readonly fetch: (last: R | null, rowsMax: number, bytesMax: number) => Promise<readonly R[]>
  /** Largest fetch; smaller for wide rows. */
  readonly fetchRowsMax: number
  /**
   * All versions of the keys of these rows, where a fetch does not give them itself: because it
   * lets the engine leave out what is not alive, or sorts by what is no key. A row fetched may then
   * be an old version, and counts only if it is the newest.
   */
  readonly versionsOf?: (rows: readonly R[]) => Promise<readonly R[]>
}

export interface Reading<R> extends Fetching<R> {
  readonly table: Keyed<R>
  /** What a cursor can tell apart. Rows of one place are never cut in two. */
  readonly placeOf: (row: R) => string
  /** For lists that tombstones can bury: lets the engine step over them. */
  readonly skipping?: Fetching<R>
}

/** Besides the rows wanted, for versions that are not merged yet. */
export const slackRows = 16
/** Each fetch after the first is that much larger, or smaller where rows are long. */
const growth = 4
/** Fetches before the engine is asked to step over tombstones. */
const plainFetchesMax = 2
const fetchesMax = 24
/** … where rows are so long that they come by few. */
const smallFetchesMax = 256

/**
 * The first `wanted` living rows, fewer where those fill a page. `complete` may look further things
 * up and leave rows out; what it leaves out does not count.
 * @throws ReadingBound where so many fetches do not fill the page.
 */
export async function read<R extends Versioned, O>(
  reading: Reading<R>,
  wanted: number | PageSize<O>,
  complete: (rows: readonly R[]) => Promise<readonly O[]>,
): Promise<O[]> {
  const size = typeof wanted === 'number' ? { rows: wanted, isFull: () => false } : wanted
  const found: O[] = []
  const fetches = new Fetches(reading, size.rows + slackRows)
  let last: R | null = null
  while (fetches.isLeft) {
    const fetched: Fetched<R> | null = await fetches.next(last)
    if (fetched === null) continue
    const { by, isLast } = fetched
    const rows: readonly R[] = isLast
      ? fetched.rows
      : withoutLastPlace(fetched.rows, reading.placeOf)
    const versions = by.versionsOf && rows.length > 0 ? await by.versionsOf(rows) : rows
    found.push(...(await complete(alive(reading.table, rows, versions))))
    if (isLast || found.length >= size.rows) return found.slice(0, size.rows)
    if (size.isFull(found)) return found
    last = rows.at(-1) ?? last
    fetches.grow(rows.length > 0)
  }
  throw new ReadingBound(reading.table.name, fetches.rowsRead)
}

interface Fetched<R> {
  readonly rows: readonly R[]
  /** The end of the list. */
  readonly isLast: boolean
  readonly by: Fetching<R>
}

/** How many rows to fetch next: more and more, but fewer where they are long. */
class Fetches<R> {
  rowsRead = 0
  private readonly reading: Reading<R>
  private rowsMax: number
  private bytesMax = resultBytesMax
  private count = 0
  private isSmall = false

  constructor(reading: Reading<R>, rowsMax: number) {
    this.reading = reading
    this.rowsMax = rowsMax
  }

  get isLeft(): boolean {
    return this.count < (this.isSmall ? smallFetchesMax : fetchesMax)
  }

  /** @returns null where the rows are too long, and fewer are to be fetched. */
  async next(last: R | null): Promise<Fetched<R> | null> {
    const { reading } = this
    const isPlain = this.isSmall || this.count < plainFetchesMax
    const by: Fetching<R> = (isPlain ? null : reading.skipping) ?? reading
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

  /** @param isFound whether the last fetch gave any row: else all were versions of one. */
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

/** `complete` for rows that are complete as they are. */
export const asRead = async <R>(rows: readonly R[]): Promise<readonly R[]> => rows

/** The last place may go on beyond the fetch, and with it a newer version of a row. */
export function withoutLastPlace<R>(rows: readonly R[], placeOf: (row: R) => string): readonly R[] {
  const last = rows.at(-1)
  if (last === undefined) return rows
  const lastPlace = placeOf(last)
  return rows.slice(0, rows.findLastIndex((row) => placeOf(row) !== lastPlace) + 1)
}

/** Those of `rows`, in their order, that are the newest of all versions and no tombstones. */
export function alive<R extends Versioned>(
  table: Keyed<R>,
  rows: readonly R[],
  versions: readonly R[],
): R[] {
  const winners = living(table, versions)
  return rows.filter((row) => {
    const key = table.keyOf(row)
    if (winners.get(key)?.position !== row.position) return false
    // A row that was delivered twice is listed once.
    winners.delete(key)
    return true
  })
}
