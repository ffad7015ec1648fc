import type { AnyTable, Row, Table } from './table.ts'

/** A row with its table, as folds hand it on and as the encoder takes it. */
export interface TableRow {
  readonly table: AnyTable
  readonly row: Row<AnyTable>
  /** Of a token: that nothing but counters, supply or rates has changed. */
  readonly isStatsOnly?: boolean
}

/** Pairs a row with its table; the only place where the row's own type is forgotten. */
export const put = <K extends object, C extends object>(
  table: Table<K, C>,
  row: Row<Table<K, C>>,
): TableRow => ({ table: table as unknown as AnyTable, row: row as unknown as Row<AnyTable> })
