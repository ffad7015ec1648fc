/**
 * A page could not be filled within the bounds of a reading. Never a short page, never a last page
 * that is not the last: the edge answers 503.
 */
export class ReadingBound extends Error {
  override readonly name = 'ReadingBound'

  constructor(table: string, rowsRead: number) {
    super(`gave up on a page of ${table} after reading ${rowsRead} rows`)
  }
}
