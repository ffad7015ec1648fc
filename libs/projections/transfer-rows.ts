import { standards } from '../chain/token.ts'
import type { Transfer } from '../chain/transfer.ts'
import { put, type TableRow } from '../tables/table-row.ts'
import { transfersByToken } from '../tables/transfers-by-token.ts'
import { transfersByTransaction } from '../tables/transfers-by-transaction.ts'
import type { RowContext } from './blocks.ts'
import { methodSelector } from './transactions.ts'

/** A transfer among those of its token and among those of its transaction. */
export function transferRows(
  { block, transaction, version }: RowContext,
  item: Transfer,
): TableRow[] {
  const row = {
    token: item.token,
    blockNumber: block.number,
    logIndex: item.logIndex,
    batchIndex: item.batchIndex,
    transactionHash: transaction.hash,
    blockHash: block.hash,
    timestamp: block.timestamp,
    from: item.from,
    to: item.to,
    form: standards.indexOf(item.form),
    tokenId: item.tokenId,
    value: item.value,
    batchSize: item.batchSize,
    method: methodSelector(transaction),
    recipient: transaction.to,
    position: version.position,
    isDeleted: version.isDeleted,
  }
  return [put(transfersByToken, row), put(transfersByTransaction, row)]
}
