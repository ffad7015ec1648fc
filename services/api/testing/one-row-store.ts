import type { Store } from '../../../libs/ports/store.ts'
import { declaredQueries } from '../../../libs/queries/testing/declared-queries.ts'
import { RowSink } from '../../../libs/tables/row-binary.ts'

type Rows = Readonly<Record<string, readonly object[]>>

const tables = new Map(declaredQueries.map(({ sql, table }) => [sql, table]))

/** A store that returns the same rows of a table to all queries, and the tables that they read. */
export function oneRowStore(rows: Rows): { store: Store; asked: Set<string> } {
  const asked = new Set<string>()
  const store: Store = {
    async query(sql) {
      const table = tables.get(sql)
      if (table === undefined) throw new Error(`no declared query: ${sql}`)
      asked.add(table.name)
      const sink = new RowSink()
      for (const row of rows[table.name] ?? []) {
        for (const [column, type] of table.columns) type.write(sink, Reflect.get(row, column))
      }
      return Buffer.from(sink.bytes())
    },
    insert: async () => {},
    execute: async () => {},
    ping: async () => {},
    close: async () => {},
  }
  return { store, asked }
}
