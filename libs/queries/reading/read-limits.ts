/**
 * Bound of one result. Few pages have more; these are read with fewer rows a query.
 */
export const resultBytesMax = 4 * 1024 * 1024
/** Bound of a result of few rows, which must fit whatever their length: no message has more. */
export const fewRowsBytesMax = 256 * 1024 * 1024
/** Rows of a query for long rows: enough to skip unmerged versions of one. */
export const fewRows = 4

/** The requested part of a list: a number of rows, or fewer if these fill a page. */
export interface PageSize<R> {
  readonly rows: number
  /** Whether the rows before the last one already fill the page. */
  readonly isFull: (rows: readonly R[]) => boolean
}

/** Number of rows that fit into so many bytes, at least one. */
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

/** A page of rows of any length: rows beyond the bytes are not needed. */
export const pageSize = <R>(
  rows: number,
  bytesOf: (row: R) => number,
  bytesMax: number | undefined,
): PageSize<R> => ({
  rows,
  isFull: (found) => bytesMax !== undefined && countWithin(found, bytesOf, bytesMax) < found.length,
})

/**
 * A page was not full at the limit of its queries. It is answered 503, and never as a short page,
 * which would look like the last one.
 */
export class ReadLimitExceeded extends Error {
  override readonly name = 'ReadLimitExceeded'

  constructor(table: string, rowsRead: number) {
    super(`gave up on a page of ${table} after reading ${rowsRead} rows`)
  }
}
