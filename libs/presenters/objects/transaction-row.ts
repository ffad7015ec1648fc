import { z } from 'zod'
import type { Hex } from '../../chain/hex.ts'
import type { Row } from '../../tables/declare/table.ts'
import type { transactions } from '../../tables/tables/transactions.ts'
import { decodedInput, methodOf, nameIn, selectorOf } from '../abi/decoded.ts'
import type { Lookups } from '../lookups.ts'

/** A transaction, whichever of its tables it was read from. */
export type TransactionRow = Row<typeof transactions>

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
  'gasUsed' | 'gasPrice' | 'extras' | 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'baseFeePerGas'
>

/** What was paid, in wei, without the blob fee: the same sum as in the key of its table. */
export const feeOf = ({ gasUsed, gasPrice, extras }: Fees): bigint =>
  gasUsed * gasPrice + BigInt(rollupAndBlobOf(extras).rollupFee ?? 0)

const amountText = z.string().nullable()
const extrasForm = z.object({
  rollupFee: amountText,
  blob: z
    .object({
      blobVersionedHashes: z.array(z.string()).nullable(),
      maxFeePerBlobGas: amountText,
      blobGasUsed: amountText,
      blobGasPrice: amountText,
    })
    .nullable(),
})
type Extras = z.output<typeof extrasForm>

const noExtras: Extras = { rollupFee: null, blob: null }

/** @param text JSON, as the row holds it: empty for most */
const rollupAndBlobOf = (text: string): Extras =>
  text === '' ? noExtras : extrasForm.parse(JSON.parse(text))

/** Fields that only a transaction of type 3 has (contract 69); null where the source lacks them. */
export function blobObject({ type, extras }: Pick<TransactionRow, 'type' | 'extras'>) {
  if (type !== blobType) return {}
  const { blob } = rollupAndBlobOf(extras)
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
