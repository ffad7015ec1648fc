import { z } from 'zod'
import { address } from './address.ts'
import { decodedEvent } from './decoded.ts'
import { named } from './named.ts'
import { bytes, hash, integer, moment } from './words.ts'

/** See `../log.ts`. */
export const log = named(
  'Log',
  z.object({
    address,
    address_hash: address,
    smart_contract: address.nullable(),
    block_hash: hash,
    block_number: integer,
    block_timestamp: moment,
    transaction_hash: hash,
    index: integer,
    data: bytes,
    topics: z.array(hash.nullable()).length(4),
    decoded: decodedEvent.nullable(),
  }),
)
