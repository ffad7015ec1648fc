import type { Block, Transaction } from '../../libs/chain/block.ts'
import { position } from '../../libs/chain/position.ts'
import { standards } from '../../libs/chain/token.ts'
import type { ExecutedTransaction } from '../../libs/presenters/summary/executed-transaction.ts'
import { actionsOf, actionsText } from '../../libs/projections/ledger/actions.ts'
import {
  createdBy,
  methodSelector,
  transactionStatus,
} from '../../libs/projections/ledger/transactions.ts'
import { transfersOf } from '../../libs/projections/ledger/transfers.ts'

const version = { position: position(1), isDeleted: 0 }

/** A transaction of a real block as its rows say it, in the order of the tables. */
export function executedOf(block: Block, transaction: Transaction): ExecutedTransaction {
  const transfers = transfersOf(transaction)
  const place = {
    blockNumber: block.number,
    blockHash: block.hash,
    timestamp: block.timestamp,
    ...version,
  }
  return {
    transaction: {
      ...place,
      parentTimestamp: block.parentTimestamp,
      hash: transaction.hash,
      index: transaction.index,
      type: transaction.type,
      nonce: transaction.nonce,
      from: transaction.from,
      to: transaction.to,
      createdContract: createdBy(transaction),
      value: transaction.value,
      input: transaction.input,
      gasLimit: transaction.gasLimit,
      gasUsed: transaction.gasUsed,
      gasPrice: transaction.gasPrice,
      maxFeePerGas: transaction.maxFeePerGas,
      maxPriorityFeePerGas: transaction.maxPriorityFeePerGas,
      baseFeePerGas: block.baseFeePerGas,
      status: transactionStatus(transaction),
      revertReason: transaction.revertReason,
      error: transaction.error,
      transfersCount: transfers.length,
      hasInnerError: null,
      authorizations: '[]',
      actions: actionsText(actionsOf(transaction.logs, transfers)),
      extras: '',
    },
    transfers: transfers
      .toSorted((a, b) => a.logIndex - b.logIndex || b.batchIndex - a.batchIndex)
      .map((transfer) => ({
        ...place,
        ...transfer,
        transactionHash: transaction.hash,
        form: standards.indexOf(transfer.form),
        method: methodSelector(transaction),
        recipient: transaction.to,
      })),
    logs: transaction.logs.map((log) => ({
      ...place,
      transactionHash: transaction.hash,
      transactionIndex: transaction.index,
      logIndex: log.index,
      recipient: transaction.to,
      address: log.address,
      topics: log.topics,
      data: log.data,
    })),
  }
}
