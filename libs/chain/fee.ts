import type { Transaction } from './block.ts'
import type { ReceiptFields } from './node-fields.ts'

type Paid = Pick<Transaction, 'type' | 'gasUsed' | 'gasPrice' | 'receiptFields'>

/**
 * What the sender paid, in wei, without the blob fee: gas, and what a rollup charges besides.
 * May exceed 2^256-1 for a receipt that no chain made.
 */
export const paidFee = (paid: Paid): bigint =>
  paid.gasUsed * paid.gasPrice + (rollupFeeOf(paid) ?? 0n)

/** EIP-2718 type of a deposit of the OP stack: paid for on the other chain. */
const depositType = 0x7e

/**
 * Wei besides gas: `l1Fee` (OP stack, Scroll), and the operator fee of the OP stack. Null where
 * the receipt says of none.
 */
export function rollupFeeOf({ type, gasUsed, receiptFields }: Paid): bigint | null {
  if (receiptFields === null || type === depositType) return null
  const data = wholeNumber(receiptFields, 'l1Fee')
  const operator = operatorFee(receiptFields, gasUsed)
  return data === null && operator === null ? null : (data ?? 0n) + (operator ?? 0n)
}

/** The receipt has only the parameters; nodes leave them out where both are zero. */
function operatorFee(fields: ReceiptFields, gasUsed: bigint): bigint | null {
  const scalar = wholeNumber(fields, 'operatorFeeScalar')
  const constant = wholeNumber(fields, 'operatorFeeConstant')
  if (scalar === null && constant === null) return null
  const scaled = gasUsed * (scalar ?? 0n)
  // Since Jovian, whose receipts say the scalar of the data footprint, the unit is another one.
  const isJovian = Object.hasOwn(fields, 'daFootprintGasScalar')
  return (isJovian ? scaled * 100n : scaled / 1_000_000n) + (constant ?? 0n)
}

/** Null if it is missing, or has a fraction as no amount of wei has. */
function wholeNumber(fields: ReceiptFields, name: string): bigint | null {
  const text = Object.hasOwn(fields, name) ? fields[name] : undefined
  return text === undefined || text.includes('.') ? null : BigInt(text)
}
