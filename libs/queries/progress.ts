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

/** A replica may be late: so many queries at once go to several of them, where there are some. */
export const replicasAsked = 3

/**
 * The same as `marksOf`, of each name the row of the most advanced replica that answered: who folds
 * takes a row that is missing for one that was never written.
 */
export async function marksOfReplicas(
  store: Store,
  names: readonly string[],
): Promise<Map<string, Row<typeof table>>> {
  const asked = Array.from({ length: replicasAsked }, () => marksOf(store, names))
  const newest = new Map<string, Row<typeof table>>()
  for (const marks of await Promise.all(asked)) {
    for (const [name, row] of marks) {
      if (row.position > (newest.get(name)?.position ?? -1)) newest.set(name, row)
    }
  }
  return newest
}

/** Rows of these names, those of groups and marks alike. */
export async function marksOf(
  store: Store,
  names: readonly string[],
): Promise<Map<string, Row<typeof table>>> {
  const parametersOf = (keys: readonly string[]) => ({ groups: keys })
  const rows = await lookUp(store, { query: progress, table, parametersOf }, names)
  return new Map(rows.map((row) => [row.group, row]))
}
