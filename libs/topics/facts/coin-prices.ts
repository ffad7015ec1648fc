import { z } from 'zod'
import { decimalText, integerNumber } from '../quantities.ts'

/** A message of topic `coin-prices`: what a coin cost on a day (UTC), or costs now. */
export const coinPrice = z.object({
  chainId: z.int().positive(),
  moment: z.union([z.literal('now'), z.iso.date()]),
  /** Seconds since 1970: when it was so. */
  time: integerNumber,
  price: decimalText,
})

export type CoinPrice = z.output<typeof coinPrice>
export const coinPriceKey = (fact: CoinPrice): string => `${fact.chainId}:${fact.moment}`
