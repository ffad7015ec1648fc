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
