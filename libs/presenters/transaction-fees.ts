import type { TransactionRow } from './transaction-row.ts'

type Fees = Pick<
  TransactionRow,
  'gasUsed' | 'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'baseFeePerGas'
>

/** What was paid, in wei, without the blob fee. */
export const feeOf = ({ gasUsed, gasPrice }: Fees): bigint => gasUsed * gasPrice

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
