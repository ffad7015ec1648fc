import { revertReason } from './abi/revert-reason.ts'
import { actionObjects } from './actions.ts'
import { addressObject, addressOrNull } from './address.ts'
import { authorizationList } from './authorizations.ts'
import { dayOf, isoTime } from './dates.ts'
import type { Lookups } from './lookups.ts'
import { callObject } from './transaction-call.ts'
import { feeOf, feesObject } from './transaction-fees.ts'
import type { TransactionRow } from './transaction-row.ts'
import { transactionTypes } from './transaction-types.ts'
import { type TransferRow, transferObject } from './transfer.ts'

/** Transfers shown inside a transaction; further ones set the overflow flag. */
export const shownTransfersMax = 10

/** Seconds before a day's price counts as history. */
const daySeconds = 86_400

/** A transaction of a list (2.7). @param first its first transfers, in the order of endpoint 7. */
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
    ...outcome(row),
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
    token_transfers: first.slice(0, shownTransfersMax).map((at) => transferObject(at, lookups)),
    token_transfers_overflow: row.transfersCount > shownTransfersMax,
    transaction_types: transactionTypes(row, lookups),
    has_error_in_internal_transactions: row.hasInnerError,
    actions: actionObjects(row, lookups),
    transaction_tag: null,
    authorization_list: authorizationList(row.authorizations),
    is_pending_update: false,
    fhe_operations_count: 0,
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
function outcome(row: TransactionRow) {
  const revert_reason = row.status === 1 ? null : revertReason(row.revertReason)
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

/** Null for what happened within the last day: the price of now says it. */
function historicRate(row: TransactionRow, { head, coinPriceOn }: Lookups): string | null {
  const isOld = head.time !== null && head.time >= historyBegins(row)
  return isOld ? coinPriceOn(dayOf(row.timestamp)) : null
}
