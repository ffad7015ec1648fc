import { z } from 'zod'
import type { Address } from '../../chain/hex.ts'
import { type Standard, standards } from '../../chain/token.ts'
import { checksum } from '../address.ts'
import { noTokenFacts, type TokenFacts } from '../facts.ts'
import { type Lookups, standardAt, type TokenRecord } from '../lookups.ts'
import {
  checksummedString,
  decimalOrNull,
  decimalString,
  integer,
  named,
  publishedAs,
  textOrNull,
  urlOrNull,
  urlText,
} from '../schemas.ts'
import { safeUrl } from './safe-url.ts'

const holdersCount = 'Addresses with a balance; null while not all balances are known.'

const tokenShape = z.object({
  address_hash: checksummedString.describe('Address of the contract, checksummed by EIP-55.'),
  name: textOrNull.describe('Null if unknown or blank.'),
  symbol: textOrNull.describe('Null if unknown or blank.'),
  decimals: decimalString.nullable().describe('Digits after the point; null if unknown.'),
  type: z.enum(standards).describe('Token standard.'),
  holders_count: decimalString.nullable().describe(holdersCount),
  total_supply: decimalString
    .nullable()
    .describe('In smallest units; null if unknown, or if it contradicts the transfers.'),
  exchange_rate: decimalOrNull.describe('US dollars per whole token; null if unknown.'),
  volume_24h: decimalOrNull.describe('Traded within a day, US dollars; null if unknown.'),
  icon_url: urlOrNull.describe(urlText),
  circulating_market_cap: decimalOrNull.describe('US dollars; null if unknown.'),
  circulating_supply: decimalOrNull.describe('Whole tokens; null if unknown.'),
  reputation: z.enum(['ok', 'scam']).describe('scam if it was imported as such, else ok.'),
})

/** Schema of {@link tokenObject}. */
export const tokenSchema = named('Token', tokenShape.describe('A token contract.'))

/** The unpaged list of balances counts holders by a number. */
export const tokenOfUnpagedSchema = named(
  'TokenOfUnpagedBalance',
  tokenShape
    .extend({
      holders_count: publishedAs(
        integer.nullable().describe(holdersCount),
        decimalString.nullable().describe(holdersCount),
      ),
    })
    .describe('A token contract, whose holders_count is a number.'),
)

/** A token as every body shows it. */
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
