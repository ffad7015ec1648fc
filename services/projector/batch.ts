import type { Store } from '../../libs/ports/store.ts'
import { readModels } from '../../libs/read-models/registry.ts'
import { RowSink } from '../../libs/tables/row-binary.ts'
import type { AnyTable } from '../../libs/tables/table.ts'
import type { TableRow } from '../../libs/tables/table-row.ts'
import type { ProjectorLimits } from './limits.ts'
import { Moved } from './moved.ts'

/** What was folded since the last flush. */
export class Batch {
  readonly moved: Moved
  messages = 0
  wireBytes = 0
  rowCount = 0
  private readonly limits: ProjectorLimits
  private readonly tables = new Map<AnyTable, RowSink>()

  constructor(limits: ProjectorLimits) {
    this.limits = limits
    this.moved = new Moved(limits.bucketsMax)
  }

  add(rows: readonly TableRow[], wireBytes: number): void {
    this.messages += 1
    this.wireBytes += wireBytes
    this.rowCount += rows.length
    this.moved.add(rows)
    for (const { table, row } of rows) {
      const sink = this.tables.get(table) ?? new RowSink()
      this.tables.set(table, sink)
      table.encode(sink, row)
    }
  }

  get isFull(): boolean {
    const { flushMessagesMax, flushBytesMax, flushRowsMax } = this.limits
    return (
      this.messages >= flushMessagesMax ||
      this.wireBytes >= flushBytesMax ||
      this.rowCount >= flushRowsMax
    )
  }

  /** Acknowledged when it resolves: everything first, what says that a thing exists last. */
  async insertAll(store: Store): Promise<void> {
    const order: string[] = readModels.map(({ table }) => table.name)
    const sorted = [...this.tables].sort(
      ([left], [right]) => order.indexOf(left.name) - order.indexOf(right.name),
    )
    for (const [table, sink] of sorted) {
      await store.insert(table.name, Object.keys(table.allColumns), sink.bytes())
    }
  }
}
