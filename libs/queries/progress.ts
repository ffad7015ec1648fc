import type { Store } from '../ports/store.ts'
import { progress as table } from '../tables/progress.ts'
import type { GroupName, Row } from '../tables/table.ts'
import { lookUp } from './look-up.ts'
import { query } from './query.ts'

export const progress = query({
  file: new URL('./progress.sql', import.meta.url),
  table,
  budget: { rowsMax: 20_000, bytesMax: 2_000_000 },
})

const groups: readonly GroupName[] = ['ledger', 'state', 'dimensions']

/** How far each group has written rows; groups that never wrote any are missing. */
export const progressOf = (store: Store): Promise<Map<string, Row<typeof table>>> =>
  marksOf(store, groups)

/** Rows of these names, those of groups and marks alike. */
export async function marksOf(
  store: Store,
  names: readonly string[],
): Promise<Map<string, Row<typeof table>>> {
  const parametersOf = (keys: readonly string[]) => ({ groups: keys })
  const rows = await lookUp(store, { query: progress, table, parametersOf }, names)
  return new Map(rows.map((row) => [row.group, row]))
}
