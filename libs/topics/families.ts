/**
 * Families of lists, as announcements name them: one a table, and for tables of tokens a second
 * one. A hot token's figures (holders, supply, rates) move with every block, and lists show them
 * in steps; what it is called and how it is judged is shown at once, and is announced apart.
 */
const namedApart: ReadonlySet<string> = new Set(['token_state', 'token_market'])

/** The subject of all rates: those of one hour are written together, and read together. */
export const rateHours = 'hours'

/** The family that moves with all of a token but its figures. */
export const namesOf = (table: string): string => `${table}.names`

/** The families that a row moves. @param isFiguresOnly nothing else of the row has changed. */
export function invalidatedFamilies(table: string, isFiguresOnly: boolean): readonly string[] {
  return namedApart.has(table) && !isFiguresOnly ? [table, namesOf(table)] : [table]
}

/** All families of a table. */
export const familiesOf = (table: string): readonly string[] => invalidatedFamilies(table, false)
