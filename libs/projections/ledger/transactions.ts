import type { Block, Transaction } from '../../chain/block.ts'
import { paidFee, rollupFeeOf } from '../../chain/fee.ts'
import { type Address, type Hash, type Hex, hex } from '../../chain/hex.ts'
import { standards, type Transfer } from '../../chain/token.ts'
import { put, type TableRow, type Versioned } from '../../tables/declare/table.ts'
import { firstTransfersMax, packedTransfers } from '../../tables/tables/transaction-columns.ts'
import {
  side,
  transactions,
  transactionsByAddress,
  transactionsByFee,
  transactionsByValue,
  withoutLongTexts,
} from '../../tables/tables/transactions.ts'
import { actionsOf, actionsText } from './actions.ts'
import { authorizationStatuses } from './authorizations.ts'
import { BlockTransfers, transferTopic } from './transfers.ts'

/** Where a row of the ledger comes from, and its version. */
export interface RowContext {
  readonly block: Block
  readonly transaction: Transaction
  readonly version: Versioned
  readonly chainId: number
}

/** Characters of `0x` and four bytes. */
const selectorLength = 10

/** The first four bytes of a call's input; null for a creation and for a shorter input. */
export const methodSelector = (transaction: Transaction): Hex | null =>
  transaction.to === null || transaction.input.length < selectorLength
    ? null
    : hex(transaction.input.slice(0, selectorLength))

/** Old receipts have no status: it is derived from traces if there are any (decision 40). */
export function transactionStatus({ status, calls, error }: Transaction): 0 | 1 | null {
  if (status !== null || calls === null) return status
  return error === null ? 1 : 0
}

/** The contract that a creation made; none if it failed (decision 41). */
export const createdBy = (transaction: Transaction): Address | null =>
  transactionStatus(transaction) === 0 ? null : transaction.createdContract

/** Amounts are decimal strings, as in topic `blocks`. */
const jsonText = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'bigint' ? inner.toString() : inner,
  )

function authorizationsText({ transaction, chainId }: RowContext): string {
  const { authorizations } = transaction
  if (authorizations.length === 0) return '[]'
  const statuses = authorizationStatuses(transaction, chainId)
  return jsonText(authorizations.map((each, at) => ({ ...each, status: statuses[at] ?? null })))
}

const blobType = 3

/** Empty for what most transactions are: neither with blobs nor of a rollup that charges more. */
function extrasText(transaction: Transaction): string {
  const rollupFee = rollupFeeOf(transaction)
  const blob = transaction.type === blobType ? transaction.blob : null
  if (rollupFee === null && blob === null) return ''
  return jsonText({ rollupFee, blob })
}

/** What the transfers of a transaction are in its own rows. One after the other: see `rows`. */
export class TransactionTransfers {
  count = 0
  #first: Transfer[] = []

  add(transfer: Transfer): void {
    this.count += 1
    this.#first.push(transfer)
    if (this.#first.length > 4 * firstTransfersMax) this.#first = this.#ordered()
  }

  #ordered(): Transfer[] {
    return this.#first
      .toSorted((one, other) => one.logIndex - other.logIndex || other.batchIndex - one.batchIndex)
      .slice(0, firstTransfersMax)
  }

  /** In the order of endpoint 7; what else their own rows contain is in the transaction's. */
  packed(blockHash: Hash): Hex {
    return packedTransfers(
      blockHash,
      // Field by field: to copy the rest of an object costs more than all of its row.
      this.#ordered().map((transfer) => ({
        token: transfer.token,
        from: transfer.from,
        to: transfer.to,
        logIndex: transfer.logIndex,
        batchIndex: transfer.batchIndex,
        batchSize: transfer.batchSize,
        form: standards.indexOf(transfer.form),
        tokenId: transfer.tokenId,
        value: transfer.value,
      })),
    )
  }
}

/**
 * A transaction as one of its sides sees it: a row of each of its tables, since a table takes
 * only its own columns. Rows are what folding costs, so there is one object for all of them.
 */
function rowOf({ block, transaction, version }: RowContext, content: Content, end: End) {
  return {
    address: end.address,
    side: end.side,
    blockNumber: block.number,
    index: transaction.index,
    hash: transaction.hash,
    blockHash: block.hash,
    timestamp: block.timestamp,
    parentTimestamp: block.parentTimestamp,
    type: transaction.type,
    nonce: transaction.nonce,
    from: transaction.from,
    to: transaction.to,
    createdContract: content.createdContract,
    value: transaction.value,
    input: transaction.input,
    gasLimit: transaction.gasLimit,
    gasUsed: transaction.gasUsed,
    gasPrice: transaction.gasPrice,
    fee: content.fee,
    maxFeePerGas: transaction.maxFeePerGas,
    maxPriorityFeePerGas: transaction.maxPriorityFeePerGas,
    baseFeePerGas: block.baseFeePerGas,
    status: content.status,
    revertReason: transaction.revertReason,
    error: transaction.error,
    transfersCount: content.transfersCount,
    hasInnerError: content.hasInnerError,
    authorizations: content.authorizations,
    actions: content.actions,
    firstTransfers: content.firstTransfers,
    extras: content.extras,
    position: version.position,
    isDeleted: version.isDeleted,
  }
}

interface End {
  readonly address: Address
  readonly side: number
}

type Content = ReturnType<typeof contentOf>

/** What has to be worked out; the same on both sides. */
function contentOf(place: RowContext, transfers: TransactionTransfers) {
  const { block, transaction } = place
  const { calls } = transaction
  return {
    createdContract: createdBy(transaction),
    fee: paidFee(transaction),
    status: transactionStatus(transaction),
    transfersCount: transfers.count,
    hasInnerError: calls === null ? null : calls.some((call) => call.error !== null),
    authorizations: authorizationsText(place),
    actions: actionsText(actionsOf(transaction.logs, amountsIn(block, transaction))),
    firstTransfers: transfers.packed(block.hash),
    extras: extrasText(transaction),
  }
}

/** Transfers with a log each. Decoded once more, as few transactions have logs of pools. */
function* amountsIn(block: Block, { logs }: Transaction): Generator<Transfer> {
  const transfers = new BlockTransfers({ coinEmitters: block.coinEmitters, transactions: [] })
  for (const log of logs) if (log.topics[0] === transferTopic) yield* transfers.ofLog(log)
}

/** A transaction by its hash, and on each side: by block, by value and by fee. */
export function transactionRows(place: RowContext, transfers: TransactionTransfers): TableRow[] {
  const { from, to } = place.transaction
  const content = contentOf(place, transfers)
  const sent = rowOf(place, content, { address: from, side: side.sender })
  const rows = [put(transactions, sent), ...sideRows(sent, content)]
  const recipient = to ?? content.createdContract
  if (recipient === null) return rows
  const received = rowOf(place, content, { address: recipient, side: side.recipient })
  rows.push(...sideRows(received, content))
  return rows
}

/** Both sides are made of the same content, and differ in nothing else than their ends. */
function sideRows(row: ReturnType<typeof rowOf>, content: Content): TableRow[] {
  return [
    put(transactionsByAddress, withoutLongTexts(row), content),
    put(transactionsByValue, row),
    put(transactionsByFee, row),
  ]
}
