import type { Store } from '../ports/store.ts'
import { readRows } from './declare/read-rows.ts'
import { allTables } from './tables/all-tables.ts'

export interface TableSize {
  readonly table: string
  /** Stored rows: older versions and tombstones count until they are merged away. */
  readonly rows: number
  /** On disk, compressed. */
  readonly bytes: number
}

/** From what the server has in memory of its parts: no row is read. */
const sql = `
SELECT name, toUInt64(ifNull(total_rows, 0)), toUInt64(ifNull(total_bytes, 0))
FROM system.tables
WHERE database = currentDatabase() AND name IN {names:Array(String)}`

const names: readonly string[] = allTables.map(({ stored }) => stored)

/**
 * Sizes of all tables on the server that answers, in the order of the index. A table that the user
 * may not read is missing.
 *
 * @throws StoreUnavailable; StoreDenied where the user may not read `system.tables`
 */
export async function tableSizes(
  store: Pick<Store, 'query'>,
  signal: AbortSignal,
): Promise<readonly TableSize[]> {
  const read = { sql, parameters: { names }, signal, isUrgent: true }
  const sizes = await readRows(store, read, (source) => ({
    table: source.text(),
    rows: source.uint64(),
    bytes: source.uint64(),
  }))
  return sizes.toSorted((one, other) => names.indexOf(one.table) - names.indexOf(other.table))
}
