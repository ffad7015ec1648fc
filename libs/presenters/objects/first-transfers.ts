import type { ListedTransaction } from '../../tables/tables/transactions.ts'
import { calledSelector, type TransactionRow } from './transaction-row.ts'
import type { TransferRow } from './transfer.ts'

/** As the fold has written it, so that it is not checked again: a page may have a thousand. */
interface Stored
  extends Pick<
    TransferRow,
    'token' | 'from' | 'to' | 'form' | 'logIndex' | 'batchIndex' | 'batchSize'
  > {
  readonly tokenId: string | null
  readonly value: string
}

/**
 * The first transfers of a transaction, as the rows of their own table: what is not stored is the
 * same for all of them.
 */
export function firstTransfersIn(row: ListedTransaction): readonly TransferRow[] {
  const { transfersCount, firstTransfers } = row
  if (transfersCount === 0) return []
  const method = calledSelector(row)
  const stored: readonly Stored[] = JSON.parse(firstTransfers)
  // Field by field: spreading two objects takes most of the time of a transfer.
  return stored.map((transfer) => ({
    token: transfer.token,
    from: transfer.from,
    to: transfer.to,
    form: transfer.form,
    tokenId: transfer.tokenId === null ? null : BigInt(transfer.tokenId),
    value: BigInt(transfer.value),
    logIndex: transfer.logIndex,
    batchIndex: transfer.batchIndex,
    batchSize: transfer.batchSize,
    transactionHash: row.hash,
    blockNumber: row.blockNumber,
    blockHash: row.blockHash,
    timestamp: row.timestamp,
    method,
    recipient: row.to,
    position: row.position,
    isDeleted: row.isDeleted,
  }))
}

/** Of all transactions of a page; one of the usual size has no more. */
const pageFirstTransfersMax = 500

/** By row, in the order of the page: where it has too many, later transactions overflow. */
export function firstTransfersOfPage(
  rows: readonly ListedTransaction[],
): ReadonlyMap<TransactionRow, readonly TransferRow[]> {
  let left = pageFirstTransfersMax
  return new Map(
    rows.map((row) => {
      const shown = left === 0 ? [] : firstTransfersIn(row).slice(0, left)
      left -= shown.length
      return [row, shown]
    }),
  )
}
