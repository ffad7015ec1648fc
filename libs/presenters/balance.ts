import { z } from 'zod'
import { type balancesByValue, part } from '../tables/balances.ts'
import type { holders } from '../tables/holders.ts'
import type { Row } from '../tables/table.ts'
import { addressObject, addressSchema } from './address.ts'
import type { Fraction } from './fiat.ts'
import { instanceObject, instanceSchema } from './instance.ts'
import { type Lookups, standardAt } from './lookups.ts'
import { decimalString, named } from './schemas.ts'
import { tokenAt, tokenOfUnpagedSchema, tokenSchema } from './token.ts'

const balanceShape = z.object({
  token: tokenSchema,
  token_id: decimalString.nullable(),
  value: decimalString,
  token_instance: instanceSchema.nullable(),
})

/** Schema of {@link balanceObject}. */
export const balanceSchema = named('TokenBalance', balanceShape)
export const unpagedBalanceSchema = named(
  'UnpagedTokenBalance',
  balanceShape.extend({ token: tokenOfUnpagedSchema }),
)

/** Schema of {@link holderObject}. */
export const holderSchema = named(
  'Holder',
  z.object({
    address: addressSchema,
    address_hash: addressSchema,
    value: decimalString,
    token_id: decimalString.nullable(),
  }),
)

type BalanceRow = Pick<
  Row<typeof balancesByValue>,
  'token' | 'part' | 'tokenId' | 'value' | 'standard' | 'ordinal'
>

/** A balance in its list. */
export interface ListedBalance extends BalanceRow {
  /** By the rates that order the list, not by those that are shown; null without one. */
  readonly fiat: Fraction | null
  readonly observedAt: number
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

/** A holder of a token (2.9); old and new clients read the address under different keys. */
export function holderObject(row: Row<typeof holders>, lookups: Lookups) {
  const address = addressObject(row.holder, lookups)
  return {
    address,
    address_hash: address,
    value: row.value.toString(),
    token_id: row.part === part.instance ? row.tokenId.toString() : null,
  }
}
