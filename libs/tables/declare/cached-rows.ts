import { createHash } from 'node:crypto'
import type { GroupName } from './group-versions.ts'
import { RowSink, RowSource } from './row-binary.ts'
import type { Row, SourceTopic, Table } from './table.ts'

/** The topic or group whose positions the entries of a table count. */
export const clockOf = ({ group, source }: Clocked): string =>
  group === 'dimensions' ? source : group

interface Clocked {
  readonly group: GroupName
  readonly source: SourceTopic
}

/** Names and bytes of the entries of a table. */
export interface CachedRows<R> {
  readonly keyOf: (subject: string) => string
  readonly encode: (rows: readonly R[]) => Buffer
  /** Null for bytes that are no rows of this table. */
  readonly decode: (bytes: Buffer) => R[] | null
}

const formCharacters = 8

/**
 * Rows of a table in the shared cache, all of which can be lost at any time.
 *
 * `rows|TABLE|FORM|SUBJECT`: all rows of a subject as RowBinary (none: it does not exist), at the
 * position of the group, or of the topic of facts, up to which they were read.
 *
 * Projectors write them when they have committed, api processes write rows that they had to read.
 * An entry is never replaced by one of a lower position.
 * @throws if the table is not declared as cached
 */
export function cachedRows<K extends object, C extends object>(
  table: Table<K, C>,
): CachedRows<Row<Table<K, C>>> {
  if (table.isCached !== true) throw new Error(`${table.name} is not declared as cached`)
  const columns = Object.entries<{ readonly ddl: string }>({ ...table.allColumns })
  const declared = columns.map(([name, { ddl }]) => `${name} ${ddl}`).join()
  // Rows of another release's columns are other entries.
  const form = createHash('sha256').update(declared).digest('base64url').slice(0, formCharacters)
  return {
    keyOf: (subject) => `rows|${table.stored}|${form}|${subject}`,
    encode(rows) {
      const sink = new RowSink()
      for (const row of rows) table.encode(sink, row)
      return Buffer.from(sink.bytes())
    },
    decode(bytes) {
      try {
        const source = new RowSource(bytes)
        const rows: Row<Table<K, C>>[] = []
        while (!source.done) rows.push(table.decode(source))
        return rows
      } catch {
        return null
      }
    },
  }
}
