import type { z } from 'zod'
import type { transactionsOfAddress } from '../endpoints.ts'
import { moment } from '../moment.ts'
import { feeOf } from '../transaction-fees.ts'
import type { TransactionRow } from '../transaction-row.ts'

type Asked = z.output<typeof transactionsOfAddress.parameters>

/** Sort and order count together only: one alone means the order by block, newest first. */
export const orderOf = ({ sort, order }: Asked) =>
  sort === null || order === null
    ? ({ sort: 'block_number', order: 'desc' } as const)
    : { sort, order }

/** @returns null for the first page; a sum sorted by belongs to the place. */
export function placeOf(asked: Asked) {
  const { block_number: blockNumber, index, value, fee } = asked
  if (blockNumber === null || index === null) return null
  const place = { blockNumber, index }
  const { sort } = orderOf(asked)
  if (sort === 'value') return value === null ? null : { ...place, value }
  if (sort === 'fee') return fee === null ? null : { ...place, fee }
  return place
}

/** Filter and order ride along where they were sent: older clients send back only the cursor. */
export function cursorAfter(last: TransactionRow, asked: Asked, size: number) {
  const { filter, sort, order } = asked
  return {
    ...(filter === null ? {} : { filter }),
    ...(sort === null ? {} : { sort }),
    ...(order === null ? {} : { order }),
    block_number: last.blockNumber,
    index: last.index,
    inserted_at: moment(last.timestamp),
    hash: last.hash,
    value: last.value.toString(),
    fee: feeOf(last).toString(),
    items_count: size,
  }
}
