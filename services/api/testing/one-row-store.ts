import type { Store } from '../../../libs/ports/store.ts'
import { allTables } from '../../../libs/tables/all-tables.ts'
import type { ColumnType } from '../../../libs/tables/columns.ts'
import { RowSink } from '../../../libs/tables/row-binary.ts'

type Rows = Readonly<Record<string, readonly object[]>>

/**
 * Tables that answer every question with the same rows, whatever it asks for, and tell of which
 * tables they were asked.
 */
export function oneRowStore(rows: Rows): { store: Store; asked: Set<string> } {
  const asked = new Set<string>()
  const store: Store = {
    async query(sql) {
      const text = sql.replace(/--.*$/gm, '')
      for (const [, name = ''] of text.matchAll(/\b(?:FROM|JOIN)\s+(\w+)/g)) asked.add(name)
      const [, name = ''] = /\bFROM\s+\(?[\s\S]*?(\w+)/.exec(text) ?? []
      const columns = columnsOf(text)
      const sink = new RowSink()
      for (const row of rows[name] ?? []) {
        for (const [column, type] of columns) type.write(sink, Reflect.get(row, column))
      }
      return Buffer.from(sink.bytes())
    },
    insert: async () => {},
    execute: async () => {},
    ping: async () => {},
    close: async () => {},
  }
  return { store, asked }

  /** Those between the outermost SELECT and its FROM. */
  function columnsOf(text: string): readonly (readonly [string, ColumnType<unknown>])[] {
    const [, list = ''] = /^\s*SELECT\s+([\s\S]*?)\sFROM\s/.exec(text) ?? []
    const [, name] = /\bFROM\s+(\w+)/.exec(text) ?? []
    const declared = allTables.find((table) => table.name === name)?.allColumns ?? {}
    const types = new Map<string, ColumnType<unknown>>(Object.entries(declared))
    return list.split(',').map((part) => {
      const column = part.trim().replaceAll('"', '')
      const type = types.get(column)
      if (type === undefined) throw new Error(`${name} has no column ${column}`)
      return [column, type] as const
    })
  }
}
