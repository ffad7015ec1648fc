import { createHash } from 'node:crypto'
import { addressLabels } from './address-labels.ts'
import { prices } from './prices.ts'
import { RowSink, RowSource } from './row-binary.ts'
import type { GroupName, Row, SourceTopic, Table } from './table.ts'
import { tokenMarket } from './token-market.ts'
import { tokenState } from './token-state.ts'

/**
 * Tables whose rows are also in the shared cache. All its entries can be lost at any time.
 *
 * `head|GROUP`: JSON of the group's newest announcement without its changes, at its position.
 * `rows|TABLE|FORM|SUBJECT`: all rows of a subject as RowBinary (empty: it does not exist), at the
 * position of the group, or of the fact topic, up to which they were read.
 *
 * Projectors write both after a commit; api processes also write rows that they had to read. An
 * entry is not replaced by one with a lower position, so a late writer cannot restore old rows.
 */
export const cachedTables = [tokenState, tokenMarket, addressLabels, prices] as const

/** The topic or group whose positions the entries of a table count. */
export const clockOf = ({ group, source }: Clocked): string =>
  group === 'dimensions' ? source : group

interface Clocked {
  readonly group: GroupName
  readonly source: SourceTopic
}

export const headKey = (group: GroupName): string => `head|${group}`

/** How rows of a table are kept, and under which names. */
export interface CachedRows<R> {
  readonly keyOf: (subject: string) => string
  readonly encode: (rows: readonly R[]) => Buffer
  /** Null for bytes that are no rows of this table. */
  readonly decode: (bytes: Buffer) => R[] | null
}

const formCharacters = 8

export function cachedRows<K extends object, C extends object>(
  table: Table<K, C>,
): CachedRows<Row<Table<K, C>>> {
  const columns = Object.entries<{ readonly ddl: string }>({ ...table.allColumns })
  const declared = columns.map(([name, { ddl }]) => `${name} ${ddl}`).join()
  // Rows of another release's columns are other entries.
  const form = createHash('sha256').update(declared).digest('base64url').slice(0, formCharacters)
  return {
    keyOf: (subject) => `rows|${table.name}|${form}|${subject}`,
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
