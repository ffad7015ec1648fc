import { z } from 'zod'
import { type Address, isAddress } from '../chain/hex.ts'
import type { ListedTransaction } from '../tables/transactions.ts'
import { calledSelector } from './transaction-row.ts'
import type { TransferRow } from './transfer.ts'

const addressText = z.custom<Address>((text) => typeof text === 'string' && isAddress(text))
const amount = z.string().transform(BigInt)
const stored = z.array(
  z.object({
    token: addressText,
    from: addressText,
    to: addressText,
    form: z.number(),
    tokenId: amount.nullable(),
    value: amount,
    logIndex: z.number(),
    batchIndex: z.number(),
    batchSize: z.number(),
  }),
)

/**
 * The first transfers of a transaction, as the rows of their own table: what is not stored is the
 * same for all of them.
 */
export function firstTransfersIn(row: ListedTransaction): readonly TransferRow[] {
  const { transfersCount, firstTransfers } = row
  if (transfersCount === 0) return []
  const method = calledSelector(row)
  // Field by field: spreading two objects takes most of the time of a transfer.
  return stored.parse(JSON.parse(firstTransfers)).map((transfer) => ({
    token: transfer.token,
    from: transfer.from,
    to: transfer.to,
    form: transfer.form,
    tokenId: transfer.tokenId,
    value: transfer.value,
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
