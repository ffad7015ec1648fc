import type { z } from 'zod'
import { isoTime } from '../dates.ts'
import type { transactionsOfAddress } from '../endpoints.ts'
import { pageSizeOf } from '../parameters/forms.ts'
import { feeOf, type TransactionRow } from '../transaction-row.ts'

type QueryParameters = z.output<typeof transactionsOfAddress.parameters>

export const pageRequest = (parameters: QueryParameters) => ({
  filter: parameters.filter,
  ...orderOf(parameters),
  after: placeOf(parameters),
  size: pageSizeOf(parameters),
})

const newestFirst = { sort: 'block_number', order: 'desc' } as const

/** Sort and order count together only: one alone means the order by block, newest first. */
const orderOf = ({ sort, order }: QueryParameters) =>
  sort === null || order === null ? newestFirst : { sort, order }

/** @returns null for the first page; a sum sorted by belongs to the place. */
function placeOf(parameters: QueryParameters) {
  const { block_number: blockNumber, index, value, fee } = parameters
  if (blockNumber === null || index === null) return null
  const place = { blockNumber, index }
  const { sort } = orderOf(parameters)
  if (sort === 'value') return value === null ? null : { ...place, value }
  if (sort === 'fee') return fee === null ? null : { ...place, fee }
  return place
}

/**
 * Filter and order ride along where they are not what is done without them: older clients send
 * back only the cursor.
 */
export function cursorAfter(
  last: TransactionRow,
  { filter, sort, order, size }: ReturnType<typeof pageRequest>,
) {
  const isUsual = sort === newestFirst.sort && order === newestFirst.order
  return {
    ...(filter === null ? {} : { filter }),
    ...(isUsual ? {} : { sort, order }),
    block_number: last.blockNumber,
    index: last.index,
    inserted_at: isoTime(last.timestamp),
    hash: last.hash,
    value: last.value.toString(),
    fee: feeOf(last).toString(),
    items_count: size,
  }
}
