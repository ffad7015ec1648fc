import { part } from '../tables/balances.ts'
import type { balancesByValue } from '../tables/balances-by-value.ts'
import type { Row } from '../tables/table.ts'
import type { Fraction } from './fiat.ts'
import { instanceObject } from './instance.ts'
import { type Lookups, standardAt } from './lookups.ts'
import { tokenAt } from './token.ts'

type BalanceRow = Pick<
  Row<typeof balancesByValue>,
  'token' | 'part' | 'tokenId' | 'value' | 'standard' | 'ordinal'
>

/** A balance in its list. */
export interface ListedBalance extends BalanceRow {
  /** By the rates that order the list, not by those that are shown; null without one. */
  readonly fiat: Fraction | null
}

/** What an address holds of a token (2.4 of the compatibility notes). */
export function balanceObject(row: BalanceRow, lookups: Lookups) {
  const standard = standardAt(row.standard)
  const isInstance = row.part === part.instance
  return {
    token: tokenAt(row.token, standard, lookups),
    token_id: isInstance ? row.tokenId.toString() : null,
    value: row.value.toString(),
    token_instance: isInstance ? instanceObject({ ...row, standard }, lookups) : null,
  }
}

/** The same in the unpaged list, where the token counts its holders by a number. */
export function unpagedBalance(row: BalanceRow, lookups: Lookups) {
  const balance = balanceObject(row, lookups)
  const count = balance.token.holders_count
  return {
    ...balance,
    token: { ...balance.token, holders_count: count === null ? null : Number(count) },
  }
}
