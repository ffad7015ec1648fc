import { setImmediate as breathe } from 'node:timers/promises'
import type { Store } from '../../ports/store.ts'
import { RowSink } from './row-binary.ts'
import { type AnyTable, type Phase, phases, type Row, type TableRow } from './table.ts'

export interface RowBatchBounds {
  /** Below a million, where the engine would split an insert into blocks seen one by one. */
  readonly insertRowsMax: number
  /** … and below its 256 MiB. A row above it goes alone. */
  readonly insertBytesMax: number
}

const rowBatchBounds: RowBatchBounds = {
  insertRowsMax: 500_000,
  insertBytesMax: 64 * 1024 ** 2,
}

/** Rows encoded in a row: some milliseconds. */
const rowsPerTurnMax = 2_000

/** Two rows of one key and position that differ: a fold that depends on more than the log. */
export class ConflictingRows extends Error {
  override readonly name = 'ConflictingRows'
}

/**
 * Rows of a flush. Of a key of the state only the newest row is kept: a hot token moves at every
 * block, and only its last row is ever read. Rows of the ledger hardly ever repeat (after a
 * reorganisation), and both are written: the highest position wins wherever rows are read.
 */
export class RowBatch {
  readonly #bounds: RowBatchBounds
  readonly #encoded = new Map<AnyTable, EncodedRows>()
  readonly #newest = new Map<AnyTable, Map<string, Row<AnyTable>>>()
  /** Of each set of shared columns, those of the last origin. */
  readonly #shared = new Map<object, SharedBytes>()
  #rowCount = 0

  constructor(bounds: RowBatchBounds = rowBatchBounds) {
    this.#bounds = bounds
  }

  /** Rows held now, those that were replaced left out. */
  get rowCount(): number {
    return this.#rowCount
  }

  /** @throws ConflictingRows */
  add(rows: readonly TableRow[]): void {
    for (const one of rows) {
      if (one.table.group === 'ledger') this.#append(one)
      else this.#keepNewest(one.table, one.row)
    }
  }

  /** Rows of one message, which has at most one of a key: none is kept to be replaced. */
  addAtOnce(rows: readonly TableRow[]): void {
    for (const row of rows) this.#append(row)
  }

  /** Bytes of what `insertHeld` would insert. */
  get heldBytes(): number {
    let bytes = 0
    for (const [table, rows] of this.#encoded) {
      if (phaseOf(table) === 'rows') bytes += rows.bytes
    }
    return bytes
  }

  /** What was added at once, of the first phase. Acknowledged when it resolves. */
  async insertHeld(store: Pick<Store, 'insert'>): Promise<void> {
    const held = [...this.#encoded].filter(([table]) => phaseOf(table) === 'rows')
    for (const [table] of held) this.#encoded.delete(table)
    await allDone(held.map(([, rows]) => rows.insert(store)))
  }

  #append({ table, row, origin = row }: TableRow): void {
    this.#encodedOf(table).add(row, this.#sharedOf(table, row, origin))
    this.#rowCount += 1
  }

  /** Rows of one origin follow each other. */
  #sharedOf(table: AnyTable, row: Row<AnyTable>, origin: object): RowSink | null {
    const { shared } = table
    if (shared === undefined) return null
    let bytes = this.#shared.get(shared)
    if (bytes === undefined) {
      bytes = { origin: null, sink: new RowSink() }
      this.#shared.set(shared, bytes)
    }
    if (bytes.origin === origin) return bytes.sink
    bytes.origin = null
    bytes.sink.clear()
    table.encodeShared(bytes.sink, row)
    bytes.origin = origin
    return bytes.sink
  }

  #keepNewest(table: AnyTable, row: Row<AnyTable>): void {
    let rows = this.#newest.get(table)
    if (rows === undefined) {
      rows = new Map()
      this.#newest.set(table, rows)
    }
    const key = table.keyOf(row)
    const other = rows.get(key)
    if (other === undefined) this.#rowCount += 1
    else if (other.position === row.position) refuseConflict(table, other, row)
    if (other === undefined || row.position >= other.position) rows.set(key, row)
  }

  #encodedOf(table: AnyTable): EncodedRows {
    const held = this.#encoded.get(table)
    if (held !== undefined) return held
    const made = new EncodedRows(table, this.#bounds)
    this.#encoded.set(table, made)
    return made
  }

  /**
   * Acknowledged when it resolves: the tables of one phase at once, then those of the next.
   * After a failure it may be called again: the same rows twice are harmless.
   */
  async insertAll(store: Pick<Store, 'insert'>): Promise<void> {
    let count = 0
    for (const [table, rows] of this.#newest) {
      const encoded = this.#encodedOf(table)
      for (const row of rows.values()) {
        encoded.add(row, this.#sharedOf(table, row, row))
        // Answers need not wait for all of them.
        if (++count % rowsPerTurnMax === 0) await breathe()
      }
    }
    this.#newest.clear()
    const tables = [...this.#encoded.values()]
    for (const phase of phases) {
      const together = tables.filter(({ table }) => phaseOf(table) === phase)
      await allDone(together.map((rows) => rows.insert(store)))
    }
  }
}

const phaseOf = ({ phase = 'rows' }: AnyTable): Phase => phase

interface SharedBytes {
  origin: object | null
  readonly sink: RowSink
}

interface EncodedInsert {
  readonly sink: RowSink
  /** Rows. */
  readonly count: number
}

/** One table's rows, cut where an insert would grow above its bounds. */
class EncodedRows {
  readonly table: AnyTable
  readonly #bounds: RowBatchBounds
  readonly #full: EncodedInsert[] = []
  #sink = new RowSink()
  #rows = 0

  constructor(table: AnyTable, bounds: RowBatchBounds) {
    this.table = table
    this.#bounds = bounds
  }

  /** @param shared its shared columns, encoded; null if there are none. */
  add(row: Row<AnyTable>, shared: RowSink | null): void {
    const { insertRowsMax, insertBytesMax } = this.#bounds
    if (this.#rows >= insertRowsMax || this.#sink.size >= insertBytesMax) {
      this.#full.push({ sink: this.#sink, count: this.#rows })
      this.#sink = new RowSink()
      this.#rows = 0
    }
    if (shared !== null) this.#sink.append(shared)
    this.table.encodeOthers(this.#sink, row)
    this.#rows += 1
  }

  get bytes(): number {
    return this.#full.reduce((sum, { sink }) => sum + sink.size, this.#sink.size)
  }

  async insert(store: Pick<Store, 'insert'>): Promise<void> {
    const columns = this.table.columnsInParts
    for (const { sink, count } of [...this.#full, { sink: this.#sink, count: this.#rows }]) {
      if (count > 0) await store.insert(this.table.stored, columns, { bytes: sink.bytes(), count })
    }
  }
}

/** Waits for all, so that no insert is in progress when the failure of another is thrown. */
async function allDone(inserts: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(inserts)) {
    if (result.status === 'rejected') throw result.reason
  }
}

function refuseConflict(table: AnyTable, one: Row<AnyTable>, other: Row<AnyTable>): void {
  const sinks = [one, other].map((row) => {
    const sink = new RowSink()
    table.encode(sink, row)
    return sink.bytes()
  })
  const [left, right] = sinks
  if (left !== undefined && right !== undefined && !left.equals(right)) {
    throw new ConflictingRows(
      `two rows of ${table.name} ${table.keyOf(one)} at position ${one.position} differ`,
    )
  }
}
