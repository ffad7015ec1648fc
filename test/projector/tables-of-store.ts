import type { Store } from '../../libs/ports/store.ts'
import { type AnyDeclared, MemoryStore } from '../../services/projector/testing/memory-store.ts'

/** Rows of a store by table and key, resolved by the rule that readers follow. */
export async function tablesOfStore(store: Store, tables: readonly AnyDeclared[]) {
  const copy = new MemoryStore(tables)
  for (const { stored, storedColumns } of tables) {
    const columns = Object.keys(storedColumns)
    const rows = await store.query(`SELECT ${columns.join(', ')} FROM ${stored}`, {})
    await copy.insert(stored, columns, rows)
  }
  return copy.readAll()
}
