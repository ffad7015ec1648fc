import { z } from 'zod'
import { standards } from '../../chain/token.ts'
import { address } from './address.ts'
import { instance } from './instance.ts'
import { named } from './named.ts'
import { token } from './token.ts'
import { amount, hash, integer, moment, words } from './words.ts'

/** By the form of its log: ids only where it has some. */
const total = z.object({
  value: amount,
  decimals: amount.nullable(),
  token_id: amount.nullable().optional(),
  token_instance: instance.nullable().optional(),
})

/** See `../transfer.ts`. */
export const transfer = named(
  'TokenTransfer',
  z.object({
    block_hash: hash,
    block_number: integer,
    transaction_hash: hash,
    log_index: integer,
    from: address,
    to: address,
    token,
    token_type: z.enum(standards),
    total,
    method: words,
    timestamp: moment,
    type: z.enum(['token_transfer', 'token_minting', 'token_burning', 'token_spawning']),
  }),
)
