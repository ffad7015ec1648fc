import { type Address, address } from '../../chain/hex.ts'
import type { Position } from '../../chain/position.ts'
import { standards } from '../../chain/token.ts'
import type { TableRow } from '../../tables/declare/table.ts'
import { instances, nftsByOwner } from '../../tables/tables/instances.ts'
import type { Balance } from '../entities/balance.ts'
import type { Instance } from '../entities/instance.ts'
import { isRenewed, rowDiff } from '../row-diff.ts'
import type { BalanceChange } from './balances.ts'
import { heldValue } from './holder-count.ts'

const addressDigits = 40

/**
 * ERC-1155: the holder, if one holder holds exactly one and it is known from the log (decision 38).
 */
function onlyHolder(instance: Instance): Address | null {
  const { isComplete, unknowns, held, holdersXor } = instance
  if (!isComplete || unknowns > 0 || held !== 1n) return null
  return address(`0x${holdersXor.toString(16).padStart(addressDigits, '0')}`)
}

export function instanceRows({ key, before, after, position }: InstanceChange): TableRow[] {
  const rowOf = (instance: Instance | undefined, isDeleted: 0 | 1) => {
    // An ERC-20 has no instances, even if one was observed before its standard was known.
    if (!instance?.standard || instance.standard === 'ERC-20') return null
    const isMany = instance.standard === 'ERC-1155'
    const owner = isMany ? onlyHolder(instance) : instance.owner
    const { observedAt } = instance
    return { ...key, owner, isUnique: !isMany || owner !== null, observedAt, position, isDeleted }
  }
  const versions = {
    before: rowOf(before, 1),
    after: rowOf(after, 0),
    isRenewed: isRenewed(before, after),
  }
  return rowDiff(instances, versions, false)
}

/** ERC-1155 and ERC-404: ids by balance. */
export function nftBalanceRows({ key, before, after, position }: BalanceChange): TableRow[] {
  const { token, holder: owner, tokenId } = key
  if (tokenId === null) return []
  const rowOf = (pair: Balance | undefined, isDeleted: 0 | 1) => {
    const value = heldValue(pair, true)
    if (value === 0n || !pair?.standard) return null
    const standard = standards.indexOf(pair.standard)
    const { observedAt } = pair
    return { owner, token, tokenId, standard, value, observedAt, position, isDeleted }
  }
  const oldRow = rowOf(before, 1)
  const newRow = rowOf(after, 0)
  const versions = { before: oldRow, after: newRow, isRenewed: isRenewed(before, after) }
  // The standard is part of the key: of a contract that said its own late, it changes.
  return rowDiff(nftsByOwner, versions, oldRow?.standard !== newRow?.standard)
}

/** One token id before and after a message. */
interface InstanceChange {
  readonly key: { readonly token: Address; readonly tokenId: bigint }
  readonly before: Instance | undefined
  readonly after: Instance | undefined
  readonly position: Position
}

/** ERC-721: ids by their known owner. */
export function nftOwnerRows({ key, before, after, position }: InstanceChange): TableRow[] {
  const standard = standards.indexOf('ERC-721')
  const rowOf = (instance: Instance | undefined, isDeleted: 0 | 1) => {
    if (instance?.standard !== 'ERC-721' || instance.owner === null) return null
    const { owner, observedAt } = instance
    return { owner, standard, ...key, value: 1n, observedAt, position, isDeleted }
  }
  const oldRow = rowOf(before, 1)
  const newRow = rowOf(after, 0)
  const versions = { before: oldRow, after: newRow, isRenewed: isRenewed(before, after) }
  return rowDiff(nftsByOwner, versions, oldRow?.owner !== newRow?.owner)
}
