import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { QueryParameters, Store } from '../ports/store.ts'
import { RowSource } from '../tables/row-binary.ts'
import type { Row, Table } from '../tables/table.ts'
import { resultBytesMax } from './result-size.ts'

/** What one asking may read for a page of the default size, however large the table is. */
export interface Budget {
  readonly rowsMax: number
  readonly bytesMax: number
}

export interface Query<R> {
  /** Of its `.sql` file, without the ending. */
  readonly name: string
  readonly sql: string
  /** The only columns that WHERE and ORDER BY may name. */
  readonly key: readonly string[]
  readonly budget: Budget
  /**
   * Rows as they are stored, all versions of them.
   * @param bytesMax of the result; `resultBytesMax` by default
   * @throws StoreUnavailable, ResultTooLarge
   */
  ask(store: Store, parameters: QueryParameters, bytesMax?: number): Promise<R[]>
}

/**
 * Stands in the WHERE of queries of a table whose rows a hole in the log makes void. A condition on
 * a version, and sound all the same: it never leaves an older version where the newest is gone.
 */
export const sinceHoleCondition = 'position >= {knownFrom:UInt64}'

interface QueryForm<K extends object, C extends object> {
  readonly file: URL
  /** Whose rows the query selects, all columns in their order. */
  readonly table: Table<K, C>
  readonly budget: Budget
}

/** Decoded in one turn of the event loop: about a millisecond. */
const pauseEveryBytes = 256 * 1024

/**
 * Declares a query: its text lies in a `.sql` file, its row type comes from the table.
 * @throws where the columns selected are not those of the table, or where it would read rows that
 * a hole in the log has made void.
 */
export function query<K extends object, C extends object>(
  form: QueryForm<K, C>,
): Query<Row<Table<K, C>>> {
  const name = form.file.pathname.replace(/^.*\/|\.sql$/g, '')
  const sql = readFileSync(form.file, 'utf8')
  const declared = Object.keys(form.table.allColumns).join(', ')
  const selected = selectedColumns(sql).join(', ')
  if (selected !== declared) {
    throw new Error(`${name}.sql selects (${selected}), ${form.table.name} has (${declared})`)
  }
  if (form.table.beforeHole === 'gone' && !sql.includes(sinceHoleCondition)) {
    throw new Error(`${name}.sql lacks ${sinceHoleCondition}`)
  }
  return {
    name,
    sql,
    key: Object.keys(form.table.key),
    budget: form.budget,
    async ask(store, parameters, bytesMax = resultBytesMax) {
      const { group } = form.table
      const source = new RowSource(await store.query(sql, parameters, { group, bytesMax }))
      const rows: Row<Table<K, C>>[] = []
      let pauseAt = pauseEveryBytes
      while (!source.done) {
        rows.push(form.table.decode(source))
        if (source.bytesRead < pauseAt) continue
        await setImmediate()
        pauseAt = source.bytesRead + pauseEveryBytes
      }
      return rows
    },
  }
}

/** Names between the outermost SELECT and its FROM. */
function selectedColumns(sql: string): string[] {
  const text = sql.replace(/--.*$/gm, '')
  const list = /^\s*SELECT\s+([\s\S]*?)\sFROM\s/.exec(text)?.[1] ?? ''
  return list.split(',').map((column) => column.trim().replaceAll('"', ''))
}
