import type { Hex } from '../../chain/hex.ts'
import type { Row } from '../../tables/declare/table.ts'
import { storedExtras, unpackedTransfers } from '../../tables/tables/transaction-columns.ts'
import type { ListedTransaction, transactions } from '../../tables/tables/transactions.ts'
import { decodedInput, methodOf, nameIn, selectorOf } from '../abi/decoded.ts'
import type { Lookups } from '../lookups.ts'
import type { TransferRow } from './transfer.ts'

/** A transaction, whichever of its tables it was read from. */
export type TransactionRow = Omit<Row<typeof transactions>, 'blockHash'>

type Called = Pick<TransactionRow, 'to' | 'input'>

/** The selector of a call; null for a creation and for an input under four bytes. */
export const calledSelector = ({ to, input }: Called): Hex | null =>
  to === null ? null : selectorOf(input)

/** What a transaction calls: `method` and `decoded_input`, by one and the same signature. */
export function callObject(row: Called, lookups: Lookups) {
  const selector = calledSelector(row)
  if (selector === null) return { method: null, decoded_input: null }
  const published = lookups.signatures(row.to, selector)
  const decoded_input = decodedInput(row.input, published)
  const method = decoded_input === null ? methodOf(selector, published) : nameIn(decoded_input)
  return { method, decoded_input }
}

type Fees = Pick<
  TransactionRow,
  'gasUsed' | 'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'baseFeePerGas'
>

/** Fields that only a transaction of type 3 has (contract 69); null where the source lacks them. */
export function blobObject({ type, extras }: Pick<TransactionRow, 'type' | 'extras'>) {
  if (type !== blobType) return {}
  const { blob } = storedExtras(extras)
  const [used, price] = [blob?.blobGasUsed ?? null, blob?.blobGasPrice ?? null]
  return {
    blob_versioned_hashes: blob?.blobVersionedHashes ?? null,
    blob_gas_used: used,
    blob_gas_price: price,
    max_fee_per_blob_gas: blob?.maxFeePerBlobGas ?? null,
    burnt_blob_fee: used === null || price === null ? null : `${BigInt(used) * BigInt(price)}`,
  }
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Prices in wei a unit of gas, sums in wei; null where the transaction or its block has none. */
export function feesObject(row: Fees) {
  return {
    gas_used: row.gasUsed.toString(),
    gas_price: row.gasPrice.toString(),
    max_fee_per_gas: row.maxFeePerGas?.toString() ?? null,
    max_priority_fee_per_gas: row.maxPriorityFeePerGas?.toString() ?? null,
    base_fee_per_gas: row.baseFeePerGas?.toString() ?? null,
    priority_fee: priorityFee(row)?.toString() ?? null,
    transaction_burnt_fee: burntFee(row)?.toString() ?? null,
  }
}

function priorityFee({ gasUsed, maxFeePerGas, maxPriorityFeePerGas, baseFeePerGas }: Fees) {
  if (maxFeePerGas === null || maxPriorityFeePerGas === null || baseFeePerGas === null) return null
  return least(maxPriorityFeePerGas, maxFeePerGas - baseFeePerGas) * gasUsed
}

function burntFee({ gasUsed, maxFeePerGas, baseFeePerGas }: Fees) {
  return maxFeePerGas === null || baseFeePerGas === null ? null : baseFeePerGas * gasUsed
}

const blobType = 3
const setCodeType = 4

/** Types of a transaction, independent of its status, always in this order. */
export function transactionTypes(row: TransactionRow, lookups: Lookups): readonly string[] {
  const { to, createdContract } = row
  const types = [
    ['contract_creation', to === null],
    ['contract_call', to !== null && row.input !== '0x' && isContract(to, lookups)],
    ['coin_transfer', row.value > 0n],
    ['token_transfer', row.transfersCount > 0],
    ['token_creation', createdContract !== null && lookups.token(createdContract) !== null],
    ['blob_transaction', row.type === blobType],
    ['set_code_transaction', row.type === setCodeType],
  ] as const
  return types.filter(([, applies]) => applies).map(([type]) => type)
}

function isContract(address: NonNullable<TransactionRow['to']>, lookups: Lookups): boolean {
  const { state } = lookups.address(address)
  return state !== null && (state.isContract || state.delegate !== null)
}

/**
 * The first transfers of a transaction, as the rows of their own table: what is not stored is the
 * same for all of them.
 */
export function firstTransfersIn(row: ListedTransaction): readonly TransferRow[] {
  const stored = unpackedTransfers(row.firstTransfers)
  if (stored === null) return []
  const { blockHash, transfers } = stored
  const method = calledSelector(row)
  // Field by field: spreading two objects takes most of the time of a transfer.
  return transfers.map((transfer) => ({
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
    blockHash,
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
