import type { LogRow } from './log.ts'
import type { TransactionRow } from './transaction-row.ts'
import type { TransferRow } from './transfer.ts'

/** A transaction with what it did, as far as a summary looks. */
export interface Deed {
  readonly transaction: TransactionRow
  /** In the order of endpoint 7. */
  readonly transfers: readonly TransferRow[]
  /** By index, ascending. */
  readonly logs: readonly LogRow[]
}
