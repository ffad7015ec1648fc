import { z } from 'zod'
import { address } from './address.ts'
import { instance } from './instance.ts'
import { named } from './named.ts'
import { token, tokenOfUnpaged } from './token.ts'
import { amount } from './words.ts'

const shown = z.object({
  token,
  token_id: amount.nullable(),
  value: amount,
  token_instance: instance.nullable(),
})

/** See `../balance.ts`. */
export const balance = named('TokenBalance', shown)
export const unpagedBalance = named('UnpagedTokenBalance', shown.extend({ token: tokenOfUnpaged }))

/** See `../holder.ts`. */
export const holder = named(
  'Holder',
  z.object({ address, address_hash: address, value: amount, token_id: amount.nullable() }),
)
