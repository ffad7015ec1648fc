import { type Address, address } from '../chain/hex.ts'
import { instances } from '../tables/instances.ts'
import type { TableRow } from '../tables/table-row.ts'
import type { Instance } from './entities/instance.ts'
import type { InstanceChange } from './nfts-by-owner.ts'
import { isRenewed, rowDiff } from './row-diff.ts'

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
    return { ...key, owner, isUnique: !isMany || owner !== null, position, isDeleted }
  }
  const versions = {
    before: rowOf(before, 1),
    after: rowOf(after, 0),
    isRenewed: isRenewed(before, after),
  }
  return rowDiff(instances, versions, false)
}
