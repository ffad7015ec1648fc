import { address } from '../chain/hex.ts'
import type { Position } from '../chain/position.ts'
import { standards } from '../chain/token.ts'
import type { Row } from '../tables/table.ts'
import type { TableRow } from '../tables/table-row.ts'
import { tokenState } from '../tables/token-state.ts'
import { isRenewed, rowsBetween } from './between.ts'
import type { Token } from './entities/token.ts'
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
    gone: rowOf(before, 1),
    here: rowOf(after, 0),
    isRenewed: isRenewed(before, after),
  }
  const rows = rowsBetween(tokenState, versions, false)
  const isFiguresOnly = isCalledTheSame(versions.gone, versions.here)
  return isFiguresOnly ? rows.map((row) => ({ ...row, isFiguresOnly })) : rows
}

type Called = Pick<Row<typeof tokenState>, 'standard' | 'name' | 'symbol' | 'decimals'>

const isCalledTheSame = (gone: Called | null, here: Called | null): boolean =>
  gone !== null &&
  here !== null &&
  gone.standard === here.standard &&
  gone.name === here.name &&
  gone.symbol === here.symbol &&
  gone.decimals === here.decimals
