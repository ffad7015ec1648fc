import type { Hex } from '../chain/hex.ts'
import { decodedInput, methodOf, nameIn, selectorOf } from './abi/method.ts'
import type { Lookups } from './lookups.ts'
import type { TransactionRow } from './transaction-row.ts'

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
