import { z } from 'zod'
import { addressText, decimalText, foreignUrl, integer } from './quantities.ts'

const envelope = {
  token: addressText,
  /** Seconds since 1970: when it was so, by whoever said it. */
  time: integer,
}

/** What markets say of a token. */
const market = z.object({
  ...envelope,
  kind: z.literal('market'),
  /** Price of one token in the currency of all prices. */
  exchangeRate: decimalText.nullable(),
  volume24h: decimalText.nullable(),
  marketCap: decimalText.nullable(),
  /** In whole tokens. */
  circulatingSupply: decimalText.nullable(),
})

/** How a token is to be shown, whatever its contract says. Null: as the contract says. */
const correction = z.object({
  ...envelope,
  kind: z.literal('correction'),
  name: z.string().max(1024).nullable(),
  symbol: z.string().max(1024).nullable(),
  decimals: z.int().min(0).max(255).nullable(),
  isScam: z.boolean(),
})

const icon = z.object({
  ...envelope,
  kind: z.literal('icon'),
  url: foreignUrl(2048).nullable(),
})

/** A message of topic `token-facts`: off-chain knowledge of a token; the last of a key wins. */
export const tokenFact = z.discriminatedUnion('kind', [market, correction, icon])

export type TokenFact = z.output<typeof tokenFact>
export const tokenFactKey = (fact: TokenFact): string => `${fact.token}:${fact.kind}`
