/**
 * Families: the units of invalidation that announcements name. Each table is one; tables of tokens
 * have a second one. A token's stats (holders, supply, rates) change with every block, and lists
 * refresh them at intervals; its name and reputation are refreshed at once, so they are separate.
 */
const namedApart: ReadonlySet<string> = new Set(['token_state', 'token_market'])

/** The family of everything about a token except its stats. */
export const namesOf = (table: string): string => `${table}.names`

/** The families that a row invalidates. @param isStatsOnly nothing else of the row has changed */
export function invalidatedFamilies(table: string, isStatsOnly: boolean): readonly string[] {
  return namedApart.has(table) && !isStatsOnly ? [table, namesOf(table)] : [table]
}

/** All families of a table. */
export const familiesOf = (table: string): readonly string[] => invalidatedFamilies(table, false)
