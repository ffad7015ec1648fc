import type { Store } from '../../libs/ports/store.ts'
import { RowBatch } from '../../libs/tables/row-batch.ts'
import type { TableRow } from '../../libs/tables/table-row.ts'
import type { ProjectorLimits } from './limits.ts'
import { TouchedBuckets } from './touched-buckets.ts'

/** What was folded since the last flush. */
export class Batch {
  readonly touched: TouchedBuckets
  messages = 0
  private wireBytes = 0
  private readonly limits: ProjectorLimits
  private readonly rows = new RowBatch()

  constructor(limits: ProjectorLimits) {
    this.limits = limits
    this.touched = new TouchedBuckets(limits.bucketsMax)
  }

  /** @throws ConflictingRows */
  add(runs: Iterable<readonly TableRow[]>, wireBytes: number): void {
    this.messages += 1
    this.wireBytes += wireBytes
    for (const rows of runs) {
      this.touched.add(rows)
      this.rows.add(rows)
    }
  }

  get rowCount(): number {
    return this.rows.rowCount
  }

  get isFull(): boolean {
    const { flushMessagesMax, flushBytesMax, flushRowsMax } = this.limits
    return (
      this.messages >= flushMessagesMax ||
      this.wireBytes >= flushBytesMax ||
      this.rowCount >= flushRowsMax
    )
  }

  /** Resolves when all rows are acknowledged; tables that prove existence are written last. */
  insertAll(store: Store): Promise<void> {
    return this.rows.insertAll(store)
  }
}
