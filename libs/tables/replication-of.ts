import type { Store } from '../ports/store.ts'
import { readRows } from './declare/read-rows.ts'
import { progress } from './tables/progress.ts'

const isReplicatedSql = `
SELECT count() > 0
FROM system.tables
WHERE database = currentDatabase() AND name = {table:String} AND engine LIKE {engine:String}`

/**
 * How several servers hold the tables, so that each query may be answered by another one: each has
 * its own parts and fetches those of others, or all have the same parts. Null: one server alone.
 */
export async function replicationOf(store: Store): Promise<'fetched' | 'shared' | null> {
  const isEngine = async (engine: string) => {
    const read = { sql: isReplicatedSql, parameters: { table: progress.stored, engine } }
    const [isFound] = await readRows(store, read, (source) => source.uint8())
    return isFound === 1
  }
  if (await isEngine('Replicated%')) return 'fetched'
  return (await isEngine('Shared%')) ? 'shared' : null
}
