import { address } from '../../chain/hex.ts'
import { part as parts } from '../../tables/balances.ts'
import type { holders } from '../../tables/holders.ts'
import type { Row } from '../../tables/table.ts'
import { ascending, uint256Max } from '../parameters.ts'

export type Holder = Row<typeof holders>
export type HolderPlace = Pick<Holder, 'value' | 'holder' | 'part' | 'tokenId'>

/** Before all holders. */
export const firstPlace: HolderPlace = {
  value: uint256Max,
  holder: address(`0x${'f'.repeat(40)}`),
  part: parts.instance,
  tokenId: uint256Max,
}

/** Value, holder, part and token id descending. */
export const inOrder = (one: HolderPlace, other: HolderPlace): number =>
  ascending(other.value, one.value) ||
  ascending(other.holder, one.holder) ||
  ascending(other.part, one.part) ||
  ascending(other.tokenId, one.tokenId)

export const isBeyond =
  (after: HolderPlace | null) =>
  (row: HolderPlace): boolean =>
    after === null || inOrder(after, row) < 0
