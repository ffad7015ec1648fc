import { bandOf } from '../tables/band.ts'
import { holders } from '../tables/holders.ts'
import type { TableRow } from '../tables/table-row.ts'
import type { BalanceChange } from './balances.ts'
import { heldValue } from './holder-count.ts'
import { isRenewed, rowDiff } from './row-diff.ts'

function rowOf({ key, position }: BalanceChange, value: bigint, isDeleted: 0 | 1) {
  const { token, holder, part } = key
  const tokenId = key.tokenId ?? 0n
  return { token, band: bandOf(value), holder, part, tokenId, value, position, isDeleted }
}

/**
 * A tombstone is written only where a value leaves its band: whales that trade must not bury the
 * first page. For a collection the value is what transfers add up to, or what a node counted.
 */
export function holderRows(change: BalanceChange): TableRow[] {
  const { key, before, after } = change
  const isInstance = key.tokenId !== null
  const was = heldValue(before, isInstance)
  const is = heldValue(after, isInstance)
  if (was === is && !isRenewed(before, after)) return []
  const oldRow = was === 0n ? null : rowOf(change, was, 1)
  const newRow = is === 0n ? null : rowOf(change, is, 0)
  const versions = { before: oldRow, after: newRow, isRenewed: isRenewed(before, after) }
  return rowDiff(holders, versions, oldRow?.band !== newRow?.band)
}
