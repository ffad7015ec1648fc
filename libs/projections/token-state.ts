import { address } from '../chain/hex.ts'
import type { Position } from '../chain/position.ts'
import { standards } from '../chain/token.ts'
import type { Row } from '../tables/table.ts'
import type { TableRow } from '../tables/table-row.ts'
import { tokenState } from '../tables/token-state.ts'
import type { Token } from './entities/token.ts'
import { isRenewed, rowDiff } from './row-diff.ts'
import type { EntityChange } from './state.ts'

/** A token is known once it has a standard. Holders are counted where its history is complete. */
export function tokenRows(change: EntityChange<Token>, position: Position): TableRow[] {
  const rowOf = (token: Token | undefined, isDeleted: 0 | 1) => {
    if (!token?.standard) return null
    const { ordinal, name, symbol, decimals, supply, holders, isComplete } = token
    return {
      token: address(`0x${change.id}`),
      standard: standards.indexOf(token.standard),
      ordinal,
      name,
      symbol,
      decimals,
      totalSupply: supply,
      holdersCount: isComplete ? holders : null,
      isComplete,
      position,
      isDeleted,
    }
  }
  const { before, after } = change
  const versions = {
    before: rowOf(before, 1),
    after: rowOf(after, 0),
    isRenewed: isRenewed(before, after),
  }
  const rows = rowDiff(tokenState, versions, false)
  const isStatsOnly = hasSameIdentity(versions.before, versions.after)
  return isStatsOnly ? rows.map((row) => ({ ...row, isStatsOnly })) : rows
}

type TokenIdentity = Pick<Row<typeof tokenState>, 'standard' | 'name' | 'symbol' | 'decimals'>

const hasSameIdentity = (before: TokenIdentity | null, after: TokenIdentity | null): boolean =>
  before !== null &&
  after !== null &&
  before.standard === after.standard &&
  before.name === after.name &&
  before.symbol === after.symbol &&
  before.decimals === after.decimals
