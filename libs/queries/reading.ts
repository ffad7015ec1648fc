import type { Versioned } from '../tables/table.ts'
import { ReadingBound } from './reading-bound.ts'
import { type Keyed, living } from './versions.ts'

/** A way to fetch a list in its order, without FINAL. */
export interface Fetching<R> {
  /** The next rows in order, strictly after the place of `last`. */
  readonly fetch: (last: R | null, rowsMax: number) => Promise<readonly R[]>
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
/** Each fetch after the first is that much larger. */
const growth = 4
/** Fetches before the engine is asked to step over tombstones. */
const plainFetchesMax = 2
const fetchesMax = 24

/**
 * The first `limit` living rows. `complete` may look further things up and leave rows out; what it
 * leaves out does not count.
 * @throws ReadingBound where `fetchesMax` fetches do not fill the page.
 */
export async function read<R extends Versioned, O>(
  reading: Reading<R>,
  limit: number,
  complete: (rows: readonly R[]) => Promise<readonly O[]>,
): Promise<O[]> {
  const found: O[] = []
  let last: R | null = null
  let rowsMax = limit + slackRows
  let rowsRead = 0
  for (let fetches = 0; fetches < fetchesMax; fetches++) {
    const by: Fetching<R> = (fetches < plainFetchesMax ? null : reading.skipping) ?? reading
    rowsMax = Math.min(rowsMax, by.fetchRowsMax)
    const fetched: readonly R[] = await by.fetch(last, rowsMax)
    rowsRead += fetched.length
    const isLast = fetched.length < rowsMax
    const rows = isLast ? fetched : withoutLastPlace(fetched, reading.placeOf)
    const versions = by.versionsOf && rows.length > 0 ? await by.versionsOf(rows) : rows
    found.push(...(await complete(alive(reading.table, rows, versions))))
    if (isLast || found.length >= limit) return found.slice(0, limit)
    last = rows.at(-1) ?? last
    rowsMax *= growth
  }
  throw new ReadingBound(reading.table.name, rowsRead)
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
