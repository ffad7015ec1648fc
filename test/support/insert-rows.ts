import type { Store } from '../../libs/ports/store.ts'
import { RowSink } from '../../libs/tables/declare/row-binary.ts'
import type { Row, Table } from '../../libs/tables/declare/table.ts'

/** In one insert, as a flush does. */
export async function insertRows<K extends object, C extends object>(
  store: Store,
  table: Table<K, C>,
  rows: readonly Row<Table<K, C>>[],
): Promise<void> {
  const sink = new RowSink()
  for (const row of rows) table.encode(sink, row)
  await store.insert(table.stored, Object.keys(table.storedColumns), {
    bytes: sink.bytes(),
    count: rows.length,
  })
}
