import { feeOf, firstTransfersMax } from '../../tables/tables/transaction-columns.ts'
import { revertReason } from '../abi/decoded-values.ts'
import { addressObject, addressOrNull } from '../address.ts'
import { dayOf, isoTime } from '../dates.ts'
import type { Lookups } from '../lookups.ts'
import { actionObjects } from './actions.ts'
import { authorizationList } from './authorization.ts'
import {
  blobObject,
  callObject,
  feesObject,
  type TransactionRow,
  transactionTypes,
} from './transaction-row.ts'
import { type TransferRow, transferObject } from './transfer.ts'

/** The same for clients of the published types (contract 70). */
export const withPublishedTypes = <T extends object>(object: T, { gasLimit }: TransactionRow) => ({
  ...object,
  gas_limit: gasLimit.toString(),
})

/** Seconds before a day's price counts as history. */
const daySeconds = 86_400

/** A transaction of a list. @param first its first transfers, in the order of endpoint 7. */
export function transactionObject(
  row: TransactionRow,
  first: readonly TransferRow[],
  lookups: Lookups,
) {
  return {
    hash: row.hash,
    timestamp: isoTime(row.timestamp),
    block_number: row.blockNumber,
    position: row.index,
    nonce: row.nonce,
    type: row.type,
    ...outcome(row, lookups),
    confirmations: confirmationsOf(row, lookups.head.block),
    confirmation_duration: confirmationDuration(row),
    from: addressObject(row.from, lookups),
    to: addressOrNull(row.to, lookups),
    created_contract: addressOrNull(row.createdContract, lookups),
    fee: { type: 'actual', value: feeOf(row).toString() },
    gas_limit: gasLimitOf(row),
    ...feesObject(row),
    exchange_rate: lookups.coinPrice,
    historic_exchange_rate: historicRate(row, lookups),
    value: row.value.toString(),
    raw_input: row.input,
    ...callObject(row, lookups),
    token_transfers: first.slice(0, firstTransfersMax).map((at) => transferObject(at, lookups)),
    token_transfers_overflow: row.transfersCount > Math.min(first.length, firstTransfersMax),
    transaction_types: transactionTypes(row, lookups),
    has_error_in_internal_transactions: row.hasInnerError,
    actions: actionObjects(row, lookups),
    transaction_tag: null,
    authorization_list: authorizationList(row.authorizations, lookups.decodeBudget),
    is_pending_update: false,
    fhe_operations_count: 0,
    ...blobObject(row),
  }
}

/** An integer that every reader of JSON holds; the field has 256 bits. */
const gasLimitOf = ({ gasLimit }: TransactionRow): number =>
  gasLimit > gasLimitMax ? Number.MAX_SAFE_INTEGER : Number(gasLimit)

const gasLimitMax = BigInt(Number.MAX_SAFE_INTEGER)

export const statusOf = ({ status }: Pick<TransactionRow, 'status'>) =>
  status === null ? null : status === 1 ? 'ok' : 'error'

const awaiting = 'awaiting_internal_transactions'

/** Whether it succeeded, and the reason in words where one is known. */
function outcome(row: TransactionRow, { decodeBudget }: Lookups) {
  const revert_reason = row.status === 1 ? null : revertReason(row.revertReason, decodeBudget)
  if (row.status !== 0) {
    return { status: statusOf(row), result: row.status === 1 ? 'success' : awaiting, revert_reason }
  }
  const isReverted =
    row.error === 'execution reverted' || (row.error === null && revert_reason !== null)
  return {
    status: 'error',
    result: isReverted ? 'Reverted' : (row.error ?? awaiting),
    revert_reason,
  }
}

/** Milliseconds between the block and its parent; empty where the parent is not known. */
const confirmationDuration = ({ timestamp, parentTimestamp }: TransactionRow): number[] =>
  parentTimestamp === null ? [] : [0, Math.max(0, timestamp - parentTimestamp) * 1000]

/** Blocks on top of that of the transaction, it included. */
export const confirmationsOf = (
  { blockNumber }: Pick<TransactionRow, 'blockNumber'>,
  headBlock: number,
): number => Math.max(1, headBlock - blockNumber + 1)

/** From this time of the head on, a transaction's price is history. */
export const historyBegins = ({ timestamp }: Pick<TransactionRow, 'timestamp'>): number =>
  timestamp + daySeconds

/** Null for transactions of the last day: the current price applies. */
function historicRate(row: TransactionRow, { head, coinPriceOn }: Lookups): string | null {
  const isOld = head.time !== null && head.time >= historyBegins(row)
  return isOld ? coinPriceOn(dayOf(row.timestamp)) : null
}
