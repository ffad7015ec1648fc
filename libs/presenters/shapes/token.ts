import { z } from 'zod'
import { standards } from '../../chain/token.ts'
import { named } from './named.ts'
import { amount, checksummed, integer, rate, url, words } from './words.ts'

const shown = z.object({
  address_hash: checksummed,
  name: words,
  symbol: words,
  decimals: amount.nullable(),
  type: z.enum(standards),
  holders_count: amount.nullable(),
  total_supply: amount.nullable(),
  exchange_rate: rate,
  volume_24h: rate,
  icon_url: url,
  circulating_market_cap: rate,
  circulating_supply: rate,
  reputation: z.enum(['ok', 'scam']),
})

/** See `../token.ts`. */
export const token = named('Token', shown)

/** The unpaged list of balances counts holders by a number. */
export const tokenOfUnpaged = named(
  'TokenOfUnpagedBalance',
  shown.extend({ holders_count: integer.nullable() }),
)
