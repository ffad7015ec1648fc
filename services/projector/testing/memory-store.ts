import { type CountedRows, insertedBytes, type Store } from '../../../libs/ports/store.ts'
import { RowSink, RowSource } from '../../../libs/tables/declare/row-binary.ts'
import type { AnyTable, Row } from '../../../libs/tables/declare/table.ts'

type AnyRow = Row<AnyTable>

/** A table of whatever row. */
export interface AnyDeclared {
  readonly name: string
  readonly stored: string
  readonly storedColumns: object
}

/** Rows come as bytes here, so nothing of their type is relied upon. */
const forgetting = (table: AnyDeclared): AnyTable => table as AnyTable

/** A store that keeps every row it was sent, and resolves versions as the readers do. */
export class MemoryStore implements Store {
  /** Called before each insert; what it throws is the store's failure. */
  beforeInsert: (table: string) => void = () => {}
  private readonly tables: ReadonlyMap<string, AnyTable>
  private readonly namesByStored: ReadonlyMap<string, string>
  private readonly inserted: { name: string; rows: AnyRow[] }[] = []

  /** Of all tables but `progress`. */
  get names(): readonly string[] {
    return [...this.tables.keys()].filter((name) => name !== 'progress').sort()
  }

  constructor(tables: readonly AnyDeclared[]) {
    this.tables = new Map(tables.map((table) => [table.name, forgetting(table)]))
    this.namesByStored = new Map(tables.map(({ stored, name }) => [stored, name]))
  }

  async insert(
    stored: string,
    columns: readonly string[],
    inserted: Uint8Array | CountedRows,
  ): Promise<void> {
    const name = this.nameOf(stored)
    this.beforeInsert(name)
    const table = this.table(name)
    const decode = decoderFor(table, columns)
    const rows: AnyRow[] = []
    const source = new RowSource(Buffer.from(insertedBytes(inserted)))
    while (!source.done) rows.push(inOrder(table, decode(source)))
    this.inserted.push({ name, rows })
  }

  /** Answers `SELECT all columns FROM table` with all versions, whatever the WHERE says. */
  async query(sql: string): Promise<Buffer> {
    const name = this.nameOf(/FROM (\w+)/.exec(sql)?.[1] ?? '')
    const sink = new RowSink()
    for (const row of this.rowsOf(name)) this.table(name).encode(sink, row)
    return Buffer.from(sink.bytes())
  }

  async execute(): Promise<void> {}
  async ping(): Promise<void> {}
  async close(): Promise<void> {}

  /** What a reader sees: the newest version of each key, no tombstones. */
  read(name: string): Map<string, string> {
    const newest = new Map<string, AnyRow>()
    for (const row of this.rowsOf(name)) {
      const key = this.table(name).keyOf(row)
      const known = newest.get(key)
      if (known !== undefined && known.position === row.position && !isSame(known, row)) {
        throw new Error(`${name} ${key}: two contents at position ${row.position}`)
      }
      if (known === undefined || row.position >= known.position) newest.set(key, row)
    }
    return new Map(
      [...newest]
        .filter(([, row]) => row.isDeleted === 0)
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([key, row]) => [key, textOf(row)]),
    )
  }

  /** All tables but `progress`, as readers see them. */
  readAll(): Record<string, Record<string, string>> {
    return Object.fromEntries(this.names.map((name) => [name, Object.fromEntries(this.read(name))]))
  }

  /** Loses what was written last, as a power loss does to a disk that lied. */
  loseLast(inserts: number): void {
    this.inserted.splice(Math.max(0, this.inserted.length - inserts))
  }

  /** Loses rows of a table, by what they say. */
  lose(name: string, isLost: (row: Readonly<Record<string, unknown>>) => boolean): void {
    for (const insert of this.inserted) {
      if (insert.name === name) insert.rows = insert.rows.filter((row) => !isLost({ ...row }))
    }
  }

  /** Of a table of any version. */
  private nameOf(stored: string): string {
    return this.namesByStored.get(stored) ?? stored
  }

  private rowsOf(name: string): AnyRow[] {
    return this.inserted.filter((insert) => insert.name === name).flatMap(({ rows }) => rows)
  }

  private table(name: string): AnyTable {
    const table = this.tables.get(name)
    if (table === undefined) throw new Error(`no table ${name}`)
    return table
  }
}

/** Rows are compared as text: their columns have one order, however they were inserted. */
function inOrder({ allColumns }: AnyTable, row: AnyRow): AnyRow {
  const values = new Map(Object.entries(row))
  // All columns of the row itself.
  return Object.fromEntries(
    Object.keys(allColumns).map((name) => [name, values.get(name)]),
  ) as AnyRow
}

/** Of rows of the ledger, which are inserted in parts, or of other ones. */
function decoderFor(table: AnyTable, columns: readonly string[]): AnyTable['decode'] {
  const names = columns.join()
  if (names === table.columnsInParts.join()) return table.decodeParts
  if (names === Object.keys(table.storedColumns).join()) return table.decode
  throw new Error(`${table.name} has other columns`)
}

const textOf = (row: AnyRow): string =>
  JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))

const isSame = (left: AnyRow, right: AnyRow): boolean => textOf(left) === textOf(right)
