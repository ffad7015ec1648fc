import { withoutPrefix } from '../../../libs/chain/hex.ts'
import { type Store, TooManyRows } from '../../../libs/ports/store.ts'
import { formsOf } from '../../../libs/queries/reading/query.ts'
import { declaredQueries } from '../../../libs/queries/testing/declared-queries.ts'
import { RowSink } from '../../../libs/tables/declare/row-binary.ts'
import { encoderOf } from '../../../libs/tables/declare/table.ts'
import { linked } from './linked-rows.ts'

type Rows = Readonly<Record<string, readonly object[]>>

const manyRows = withoutPrefix(linked.rich)
const tables = new Map(
  declaredQueries.flatMap((query) => formsOf(query).map((sql) => [sql, query.table] as const)),
)

/**
 * A store that returns the same rows of a table to all queries, and the tables that they read. A
 * query of several subjects fails where one of them has many rows.
 */
export function oneRowStore(rows: Rows): { store: Store; asked: Set<string> } {
  const asked = new Set<string>()
  const store: Store = {
    async query(sql, { subjects }) {
      const table = tables.get(sql)
      if (table === undefined) throw new Error(`no declared query: ${sql}`)
      asked.add(table.name)
      if (Array.isArray(subjects) && subjects.includes(manyRows)) throw new TooManyRows(table.name)
      const sink = new RowSink()
      const encode = encoderOf<object>([...table.columns])
      for (const row of rows[table.name] ?? []) encode(sink, row)
      return Buffer.from(sink.bytes())
    },
    insert: async () => {},
    execute: async () => {},
    ping: async () => {},
    close: async () => {},
  }
  return { store, asked }
}
