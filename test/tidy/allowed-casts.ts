/**
 * The boundaries where types are made out of bytes, text, or the compiler's ignorance: the only
 * files that may cast. Each says why. A file that casts no more must leave the list.
 */
export const allowedCasts: Readonly<Record<string, string>> = {
  'libs/tables/table.ts': 'walks columns without their names; the row type comes from them',
  'libs/tables/table-row.ts': 'forgets the row type of a table on purpose, in one place',
}
