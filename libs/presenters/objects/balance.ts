import { z } from 'zod'
import type { Row } from '../../tables/declare/table.ts'
import { type balancesByValue, part } from '../../tables/tables/balances.ts'
import type { holders } from '../../tables/tables/holders.ts'
import { addressObject, addressSchema } from '../address.ts'
import type { Fraction } from '../fiat.ts'
import { type Lookups, standardAt } from '../lookups.ts'
import { decimalString, named } from '../schemas.ts'
import { instanceObject, instanceSchema } from './instance.ts'
import { tokenAt, tokenOfUnpagedSchema, tokenSchema } from './token.ts'

const balanceShape = z.object({
  token: tokenSchema.describe('The token held.'),
  token_id: decimalString.nullable().describe('Of ERC-1155, and of ids of ERC-404; else null.'),
  value: decimalString.describe('In smallest units; of ERC-721 the number of ids.'),
  token_instance: instanceSchema.nullable().describe('The id held; null if token_id is.'),
})

/** Schema of {@link balanceObject}. */
export const balanceSchema = named(
  'TokenBalance',
  balanceShape.describe('What an address holds of a token.'),
)
export const unpagedBalanceSchema = named(
  'UnpagedTokenBalance',
  balanceShape
    .extend({ token: tokenOfUnpagedSchema.describe('The token held.') })
    .describe('What an address holds of a token.'),
)

/** Schema of {@link holderObject}. */
export const holderSchema = named(
  'Holder',
  z
    .object({
      address: addressSchema.describe('The holder.'),
      address_hash: addressSchema.describe('The same as address, for other clients.'),
      value: decimalString.describe('In smallest units, or of token_id.'),
      token_id: decimalString.nullable().describe('Of ERC-1155, and of ids of ERC-404; else null.'),
    })
    .describe('A holder of a token.'),
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

/** What an address holds of a token. */
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

/** A holder of a token; old and new clients read the address under different keys. */
export function holderObject(row: Row<typeof holders>, lookups: Lookups) {
  const address = addressObject(row.holder, lookups)
  return {
    address,
    address_hash: address,
    value: row.value.toString(),
    token_id: row.part === part.instance ? row.tokenId.toString() : null,
  }
}
