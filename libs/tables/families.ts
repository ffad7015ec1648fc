import type { AnnouncedTable } from './table.ts'

/**
 * Families: the units of invalidation that announcements name. Each table is one; a table with
 * throttled stats has a second one. A token's stats (holders, supply, rates) change with every
 * block, and lists refresh them at intervals; its name and reputation are refreshed at once.
 */

/** The family of everything about a token except its stats. */
export const namesOf = (table: string): string => `${table}.names`

/** The families that a row invalidates. @param isStatsOnly nothing else of the row has changed */
export function invalidatedFamilies(
  { name, hasThrottledStats = false }: AnnouncedTable,
  isStatsOnly: boolean,
): readonly string[] {
  return hasThrottledStats && !isStatsOnly ? [name, namesOf(name)] : [name]
}

/** All families of a table. */
export const familiesOf = (table: AnnouncedTable): readonly string[] =>
  invalidatedFamilies(table, false)
