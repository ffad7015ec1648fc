import { address } from '../chain/hex.ts'
import type { Position } from '../chain/position.ts'
import { addressState } from '../tables/address-state.ts'
import type { TableRow } from '../tables/table-row.ts'
import { rowDiff } from './between.ts'
import type { Account } from './entities/account.ts'
import type { EntityChange } from './state.ts'

/** An account that delegates is a contract as long as it does (decision 46). */
export function addressRows(change: EntityChange<Account>, position: Position): TableRow[] {
  const rowOf = (account: Account | undefined, isDeleted: 0 | 1) => {
    if (account === undefined) return null
    const { hasCode, creationTransaction, delegate } = account
    const isContract = hasCode || delegate !== null
    const key = { address: address(`0x${change.id}`) }
    return { ...key, isContract, creationTransaction, delegate, position, isDeleted }
  }
  const versions = {
    before: rowOf(change.before, 1),
    after: rowOf(change.after, 0),
    isRenewed: false,
  }
  return rowDiff(addressState, versions, false)
}
