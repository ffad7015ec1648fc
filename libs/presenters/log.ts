import { z } from 'zod'
import type { logsByAddress } from '../tables/logs.ts'
import type { Row } from '../tables/table.ts'
import { decodedEvent, decodedEventSchema } from './abi/decoded.ts'
import { addressObject, addressOrNull, addressSchema } from './address.ts'
import { isoTime } from './dates.ts'
import type { Lookups } from './lookups.ts'
import { bytesString, hashString, integer, named, timeString } from './schemas.ts'

/** Schema of {@link logObject}. */
export const logSchema = named(
  'Log',
  z.object({
    address: addressSchema,
    address_hash: addressSchema,
    smart_contract: addressSchema.nullable(),
    block_hash: hashString,
    block_number: integer,
    block_timestamp: timeString,
    transaction_hash: hashString,
    index: integer,
    data: bytesString,
    topics: z.array(hashString.nullable()).length(4),
    decoded: decodedEventSchema.nullable(),
  }),
)

/** A log, whichever of its two tables it was read from. */
export type LogRow = Row<typeof logsByAddress>

/** Clients index topics 0 to 3. */
const topicsShown = 4

/** An event log (2.8). */
export function logObject(row: LogRow, lookups: Lookups) {
  const address = addressObject(row.address, lookups)
  return {
    address,
    address_hash: address,
    smart_contract: addressOrNull(row.recipient, lookups),
    block_hash: row.blockHash,
    block_number: row.blockNumber,
    block_timestamp: isoTime(row.timestamp),
    transaction_hash: row.transactionHash,
    index: row.logIndex,
    data: row.data,
    topics: Array.from({ length: topicsShown }, (_, at) => row.topics[at] ?? null),
    decoded: decodedLog(row, lookups),
  }
}

function decodedLog({ address, topics, data }: LogRow, lookups: Lookups) {
  const [topic] = topics
  return topic === undefined ? null : decodedEvent(topics, data, lookups.signatures(address, topic))
}
