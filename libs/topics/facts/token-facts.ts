import { z } from 'zod'
import { addressText, decimalText, foreignUrl, integerNumber } from '../quantities.ts'

const envelope = {
  token: addressText,
  /** Unix time in seconds at which the fact was true, set by its publisher. */
  time: integerNumber,
}

/** Market data of a token. */
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

/** Overrides what the token's contract returns. Null: not overridden. */
const words = z.object({
  ...envelope,
  kind: z.literal('words'),
  name: z.string().max(1024).nullable(),
  symbol: z.string().max(1024).nullable(),
  decimals: z.int().min(0).max(255).nullable(),
})

/**
 * The same, by who also knows whether the token is a scam: a later `words` replaces the words of it
 * and leaves the mark. A kind of its own, as the last of a key is all that a compacted topic keeps.
 */
const correction = words.extend({ kind: z.literal('correction'), isScam: z.boolean() })

const icon = z.object({
  ...envelope,
  kind: z.literal('icon'),
  url: foreignUrl(2048).nullable(),
})

export const hourSeconds = 3_600

/** No chain has seen more hours: the next one must be an integer too. */
const hoursMax = 2 ** 40

/**
 * An hour of chain time has begun: the rates published so far order balances for its duration. The
 * dimensions projector publishes it. Because it is part of the topic, every fold finds the same
 * rates in the same hour, and a late message does not change those of an hour that has been read.
 */
const hour = z
  .object({
    kind: z.literal('hour'),
    /** Seconds since 1970, as the chain counts. */
    time: integerNumber,
    /** Hours since 1970. */
    hour: z.int().positive().max(hoursMax),
  })
  .refine((fact) => fact.hour === Math.floor(fact.time / hourSeconds), {
    path: ['hour'],
    message: 'the hour is not that of the time',
  })

/** A message of topic `token-facts`: off-chain knowledge of a token; the last of a key wins. */
export const tokenFact = z.discriminatedUnion('kind', [market, words, correction, icon, hour])

export type TokenFact = z.output<typeof tokenFact>
export const tokenFactKey = (fact: TokenFact): string =>
  fact.kind === 'hour' ? 'hour' : `${fact.token}:${fact.kind}`
