import type { Block, Transaction, TransactionLog } from '../../libs/chain/block.ts'
import type { CanonicalMessage } from './canonical.ts'
import { type LogTransfer, transfersOfLog } from './transfers-of-log.ts'

/** A log or transaction with the block it stands in. */
export interface ToldTransaction {
  readonly block: Block
  readonly transaction: Transaction
  /** In the order of endpoint 7. */
  readonly transfers: readonly ToldTransfer[]
}

export interface ToldLog {
  readonly block: Block
  readonly transaction: Transaction
  readonly log: TransactionLog
}

export interface ToldTransfer extends LogTransfer, ToldLog {}

/** Everything that canonical blocks tell, oldest first. */
export interface Told {
  readonly transactions: readonly ToldTransaction[]
  readonly logs: readonly ToldLog[]
  readonly transfers: readonly ToldTransfer[]
}

export function toldBy(messages: readonly CanonicalMessage[]): Told {
  const blocks = messages.flatMap((one) => (one.kind === 'block.applied' ? [one.block] : []))
  const transactions = blocks.flatMap((block) =>
    block.transactions.map((transaction) => ({
      block,
      transaction,
      transfers: transaction.logs.flatMap((log) =>
        transfersOfLog(log)
          .map((transfer) => ({ ...transfer, block, transaction, log }))
          // Inside a batch the highest place comes first.
          .sort((a, b) => b.place - a.place),
      ),
    })),
  )
  return {
    transactions,
    logs: transactions.flatMap(({ block, transaction }) =>
      transaction.logs.map((log) => ({ block, transaction, log })),
    ),
    transfers: transactions.flatMap(({ transfers }) => transfers),
  }
}
