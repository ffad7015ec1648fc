import type { Block, Transaction, TransactionLog } from '../../libs/chain/block.ts'
import { address } from '../../libs/chain/hex.ts'
import {
  type LogTransfer,
  transfersOfLog,
} from '../../services/cli/operate/audit/transfers-of-log.ts'
import type { CanonicalMessage } from './canonical.ts'

/** A log or transaction with the block it stands in. */
export interface IncludedTransaction {
  readonly block: Block
  readonly transaction: Transaction
  /** In the order of endpoint 7. */
  readonly transfers: readonly IncludedTransfer[]
}

export interface EmittedLog {
  readonly block: Block
  readonly transaction: Transaction
  readonly log: TransactionLog
}

export interface IncludedTransfer extends LogTransfer, EmittedLog {}

/** Everything that canonical blocks tell, oldest first. */
export interface ChainContents {
  readonly transactions: readonly IncludedTransaction[]
  readonly logs: readonly EmittedLog[]
  readonly transfers: readonly IncludedTransfer[]
}

/** Decision 63: logs of the coin itself are no transfers. */
const isOfContract =
  ({ coinEmitters = [address(`0x${'f'.repeat(39)}e`)] }: Block) =>
  (log: TransactionLog): boolean =>
    !coinEmitters.includes(log.address)

export function contentsOf(
  messages: readonly CanonicalMessage[],
  read: (transfer: IncludedTransfer) => IncludedTransfer = (transfer) => transfer,
): ChainContents {
  const blocks = messages.flatMap((one) => (one.kind === 'block.applied' ? [one.block] : []))
  const transactions = blocks.flatMap((block) =>
    block.transactions.map((transaction) => ({
      block,
      transaction,
      transfers: transaction.logs.filter(isOfContract(block)).flatMap((log) =>
        transfersOfLog(log)
          .map((transfer) => read({ ...transfer, block, transaction, log }))
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
