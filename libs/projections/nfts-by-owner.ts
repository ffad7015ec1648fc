import type { Address } from '../chain/hex.ts'
import type { Position } from '../chain/position.ts'
import { standards } from '../chain/token.ts'
import { nftsByOwner } from '../tables/nfts-by-owner.ts'
import type { TableRow } from '../tables/table-row.ts'
import type { BalanceChange } from './balances.ts'
import type { Balance } from './entities/balance.ts'
import type { Instance } from './entities/instance.ts'
import { heldValue } from './holder-count.ts'
import { isRenewed, rowDiff } from './row-diff.ts'

/** ERC-1155 and ERC-404: ids by balance. */
export function nftBalanceRows({ key, before, after, position }: BalanceChange): TableRow[] {
  const { token, holder: owner, tokenId } = key
  if (tokenId === null) return []
  const rowOf = (pair: Balance | undefined, isDeleted: 0 | 1) => {
    const value = heldValue(pair, true)
    if (value === 0n || !pair?.standard) return null
    const standard = standards.indexOf(pair.standard)
    return { owner, token, tokenId, standard, value, position, isDeleted }
  }
  const versions = {
    before: rowOf(before, 1),
    after: rowOf(after, 0),
    isRenewed: isRenewed(before, after),
  }
  return rowDiff(nftsByOwner, versions, false)
}

/** One token id before and after a message. */
export interface InstanceChange {
  readonly key: { readonly token: Address; readonly tokenId: bigint }
  readonly before: Instance | undefined
  readonly after: Instance | undefined
  readonly position: Position
}

/** ERC-721: ids by their known owner. */
export function nftOwnerRows({ key, before, after, position }: InstanceChange): TableRow[] {
  const standard = standards.indexOf('ERC-721')
  const rowOf = (instance: Instance | undefined, isDeleted: 0 | 1) =>
    instance?.standard === 'ERC-721' && instance.owner !== null
      ? { owner: instance.owner, standard, ...key, value: 1n, position, isDeleted }
      : null
  const oldRow = rowOf(before, 1)
  const newRow = rowOf(after, 0)
  const versions = { before: oldRow, after: newRow, isRenewed: isRenewed(before, after) }
  return rowDiff(nftsByOwner, versions, oldRow?.owner !== newRow?.owner)
}
