/**
 * Bytes of one result. A page has more in no case that anybody looks at; where it has, fewer rows
 * are asked for.
 */
export const resultBytesMax = 4 * 1024 * 1024
/** … of a few rows, which must be had however long they are: no message holds more. */
export const fewRowsBytesMax = 256 * 1024 * 1024
/** Where rows are that long, so many at a time: enough to step over unmerged versions of one. */
export const fewRows = 4

/** How much of a list is wanted: so many rows, or fewer where these fill a page. */
export interface PageSize<R> {
  readonly rows: number
  /** Whether the last of these rows need not be shown: those before it fill the page. */
  readonly isFull: (rows: readonly R[]) => boolean
}

/** How many rows a page shows whose texts take so many bytes: one at least. */
export function countWithin<R>(
  rows: readonly R[],
  bytesOf: (row: R) => number,
  bytesMax: number,
): number {
  let bytes = 0
  for (const [at, row] of rows.entries()) {
    bytes += bytesOf(row)
    if (at > 0 && bytes > bytesMax) return at
  }
  return rows.length
}

/** Rows of any length, of which those that do not fit into so many bytes are not needed. */
export const pageSize = <R>(
  rows: number,
  bytesOf: (row: R) => number,
  bytesMax: number | undefined,
): PageSize<R> => ({
  rows,
  isFull: (found) => bytesMax !== undefined && countWithin(found, bytesOf, bytesMax) < found.length,
})
