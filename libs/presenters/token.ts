import { z } from 'zod'
import type { Address } from '../chain/hex.ts'
import { type Standard, standards } from '../chain/token.ts'
import { checksum } from './address.ts'
import { noTokenFacts, type TokenFacts } from './facts.ts'
import { type Lookups, standardAt, type TokenRecord } from './lookups.ts'
import { safeUrl } from './safe-url.ts'
import {
  checksummedString,
  decimalOrNull,
  decimalString,
  integer,
  named,
  publishedAs,
  textOrNull,
  urlOrNull,
} from './schemas.ts'

const tokenShape = z.object({
  address_hash: checksummedString,
  name: textOrNull,
  symbol: textOrNull,
  decimals: decimalString.nullable(),
  type: z.enum(standards),
  holders_count: decimalString.nullable(),
  total_supply: decimalString.nullable(),
  exchange_rate: decimalOrNull,
  volume_24h: decimalOrNull,
  icon_url: urlOrNull,
  circulating_market_cap: decimalOrNull,
  circulating_supply: decimalOrNull,
  reputation: z.enum(['ok', 'scam']),
})

/** Schema of {@link tokenObject}. */
export const tokenSchema = named('Token', tokenShape)

/** The unpaged list of balances counts holders by a number. */
export const tokenOfUnpagedSchema = named(
  'TokenOfUnpagedBalance',
  tokenShape.extend({
    holders_count: publishedAs(integer.nullable(), decimalString.nullable()),
  }),
)

/** A token as every body shows it (2.2). */
export function tokenObject({ state, facts }: TokenRecord) {
  return {
    address_hash: checksum(state.token),
    name: facts.name ?? state.name,
    symbol: facts.symbol ?? state.symbol,
    decimals: decimalsOf({ state, facts }),
    type: standardAt(state.standard),
    holders_count: state.holdersCount?.toString() ?? null,
    total_supply: state.totalSupply?.toString() ?? null,
    ...described(facts),
  }
}

/** A token of which only a transfer of `standard`'s form has been read so far. */
const unseenToken = (address: Address, standard: Standard) => ({
  address_hash: checksum(address),
  name: null,
  symbol: null,
  decimals: null,
  type: standard,
  holders_count: null,
  total_supply: null,
  ...described(noTokenFacts),
})

export type TokenObject = ReturnType<typeof tokenObject>

/** Rows of a page often have one token. */
let latest: { readonly token: TokenRecord; readonly object: TokenObject } | null = null

/** The token at an address; `standard` is used while its state is unknown. */
export function tokenAt(address: Address, standard: Standard, lookups: Lookups): TokenObject {
  const token = lookups.token(address)
  if (token === null) return unseenToken(address, standard)
  if (latest?.token !== token) latest = { token, object: tokenObject(token) }
  return latest.object
}

/** Decimals from a correction, else from the chain, as text. */
export const decimalsOf = (token: TokenRecord | null): string | null =>
  (token?.facts.decimals ?? token?.state.decimals)?.toString() ?? null

const described = (facts: TokenFacts) => ({
  exchange_rate: facts.exchangeRate,
  volume_24h: facts.volume24h,
  icon_url: safeUrl(facts.iconUrl),
  circulating_market_cap: facts.marketCap,
  circulating_supply: facts.circulatingSupply,
  reputation: facts.isScam ? 'scam' : 'ok',
})
