import type { Store } from '../ports/store.ts'
import { progress } from './progress.ts'
import { readRows } from './read-rows.ts'

const isReplicatedSql = `
SELECT count() > 0
FROM system.tables
WHERE database = currentDatabase() AND name = {table:String} AND engine LIKE {engine:String}`

/** Whether several servers hold the tables, so that each query may be answered by another one. */
export async function isReplicated(store: Store): Promise<boolean> {
  for (const engine of ['Replicated%', 'Shared%']) {
    const read = { sql: isReplicatedSql, parameters: { table: progress.name, engine } }
    const [isFound] = await readRows(store, read, (source) => source.uint8())
    if (isFound === 1) return true
  }
  return false
}
