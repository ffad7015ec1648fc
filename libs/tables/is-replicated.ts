import type { Store } from '../ports/store.ts'
import { progress } from './progress.ts'

const isReplicatedSql = `
SELECT count() > 0
FROM system.tables
WHERE database = currentDatabase() AND name = {table:String} AND engine LIKE {engine:String}`

/** Whether several servers hold the tables, so that each query may be answered by another one. */
export async function isReplicated(store: Store): Promise<boolean> {
  for (const engine of ['Replicated%', 'Shared%']) {
    const found = await store.query(isReplicatedSql, { table: progress.name, engine })
    if (found[0] === 1) return true
  }
  return false
}
