import type { LogRow } from '../objects/log.ts'
import type { TransactionRow } from '../objects/transaction-row.ts'
import type { TransferRow } from '../objects/transfer.ts'

/** Transfers and logs that a summary reads, each: 99.9 of 100 transactions have fewer. */
export const readItemsMax = 200

/** A transaction with what it did, as far as a summary reads. */
export interface ExecutedTransaction {
  readonly transaction: TransactionRow
  /** The first ones, in the order of endpoint 7. */
  readonly transfers: readonly TransferRow[]
  /** The first ones, by index, ascending. */
  readonly logs: readonly LogRow[]
}

/** Whether all its transfers were read: net flows of an account are undefined otherwise. */
export const hasAllTransfers = ({ transaction, transfers }: ExecutedTransaction): boolean =>
  transaction.transfersCount <= transfers.length

/** Whether all its logs were read as well. */
export const isWhole = (executed: ExecutedTransaction): boolean =>
  hasAllTransfers(executed) && executed.logs.length < readItemsMax
