import type { Authorization, Transaction } from '../chain/block.ts'
import { type Address, type Hex, hex } from '../chain/hex.ts'
import { put, type TableRow } from '../tables/table-row.ts'
import { transactions } from '../tables/transactions.ts'
import { side, transactionsByAddress } from '../tables/transactions-by-address.ts'
import { transactionsByFee } from '../tables/transactions-by-fee.ts'
import { transactionsByValue } from '../tables/transactions-by-value.ts'
import type { Place } from './blocks.ts'

/** Characters of `0x` and four bytes. */
const selectorLength = 10

/** The first four bytes of a call's input; null for a creation and for a shorter input. */
export const methodOf = (transaction: Transaction): Hex | null =>
  transaction.to === null || transaction.input.length < selectorLength
    ? null
    : hex(transaction.input.slice(0, selectorLength))

/** Old receipts have no status: traces tell it where there are any (decision 40). */
export function statusOf({ status, calls, error }: Transaction): 0 | 1 | null {
  if (status !== null || calls === null) return status
  return error === null ? 1 : 0
}

/** The contract that a creation made; none if it failed (decision 41). */
export const createdBy = (transaction: Transaction): Address | null =>
  statusOf(transaction) === 0 ? null : transaction.createdContract

/** As in topic `blocks`: amounts as decimal strings. */
const authorizationsText = (list: readonly Authorization[]): string =>
  JSON.stringify(list, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )

function contentOf({ block, transaction }: Place, transfersCount: number) {
  const { calls } = transaction
  return {
    blockHash: block.hash,
    timestamp: block.timestamp,
    parentTimestamp: block.parentTimestamp,
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
    status: statusOf(transaction),
    revertReason: transaction.revertReason,
    error: transaction.error,
    transfersCount,
    hasInnerError: calls === null ? null : calls.some((call) => call.error !== null),
    authorizations: authorizationsText(transaction.authorizations),
  }
}

/** A transaction by its hash, and on each side: whole by block, narrow by value and by fee. */
export function transactionRows(place: Place, transfersCount: number): TableRow[] {
  const { block, transaction, version } = place
  const { hash, index, value } = transaction
  const content = contentOf(place, transfersCount)
  const key = { blockNumber: block.number, index, hash, ...version }
  const fee = transaction.gasUsed * transaction.gasPrice
  const ends = [
    { address: transaction.from, side: side.sender },
    { address: transaction.to ?? content.createdContract, side: side.recipient },
  ]
  const rows: TableRow[] = []
  for (const { address, side } of ends) {
    if (address === null) continue
    rows.push(
      put(transactionsByAddress, { ...content, address, side, ...key }),
      put(transactionsByValue, { address, side, value, ...key }),
      put(transactionsByFee, { address, side, fee, ...key }),
    )
  }
  rows.push(put(transactions, { ...content, ...key }))
  return rows
}
