import type { Store } from '../ports/store.ts'
import {
  type GroupName,
  groupIdOf,
  groupNames,
  groupVersions,
} from '../tables/declare/group-versions.ts'
import type { Row } from '../tables/declare/table.ts'
import { nameOfProgress, progressName, progress as table } from '../tables/tables/progress.ts'
import { query } from './reading/query.ts'
import { readByKeys } from './reading/read-by-keys.ts'

const progressQuery = query({
  file: new URL('./progress.sql', import.meta.url),
  table,
  budget: { rowsMax: 20_000, bytesMax: 2_000_000 },
})

/** Position up to which each group has written rows; groups that never wrote any are missing. */
export const progressOf = (store: Store): Promise<Map<string, Row<typeof table>>> =>
  marksOf(store, groupNames)

/**
 * The newest chain time that any version of a group has written, in seconds, up to that of this
 * release: one that is being folded is years behind the one that is served. 0: none.
 */
export async function newestTimeOf(store: Store, group: GroupName): Promise<number> {
  const ids = Array.from({ length: groupVersions[group] }, (_, at) => groupIdOf(group, at + 1))
  const rows = await rowsOf(store, ids)
  return Math.max(0, ...rows.map(({ timestamp }) => timestamp ?? 0))
}

/** Concurrent queries to reach several replicas, as one of them may be late. */
const replicaAttempts = 3

/**
 * The same as `marksOf`, for each name the row of the most advanced replica that answered: for a
 * fold, a missing row means one that was never written.
 */
export async function marksOfReplicas(
  store: Store,
  names: readonly string[],
): Promise<Map<string, Row<typeof table>>> {
  const options = Array.from({ length: replicaAttempts }, () => marksOf(store, names))
  const newestByKey = new Map<string, Row<typeof table>>()
  for (const marks of await Promise.all(options)) {
    for (const [name, row] of marks) {
      if (row.position > (newestByKey.get(name)?.position ?? -1)) newestByKey.set(name, row)
    }
  }
  return newestByKey
}

/** Rows of these names, those of groups and marks alike; of this version of each group. */
export async function marksOf(
  store: Store,
  names: readonly string[],
): Promise<Map<string, Row<typeof table>>> {
  const rows = await rowsOf(store, names.map(progressName))
  return new Map(rows.map((row) => [nameOfProgress(row.group), row]))
}

/** By the names as they are stored. */
const rowsOf = (store: Store, stored: readonly string[]): Promise<Row<typeof table>[]> =>
  readByKeys(
    store,
    { query: progressQuery, table, parametersOf: (keys) => ({ groups: keys }) },
    stored,
  )
