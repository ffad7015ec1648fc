import { z } from 'zod'
import type { Row } from '../../tables/declare/table.ts'
import type { logsByAddress } from '../../tables/tables/logs.ts'
import { decodedEvent, decodedEventSchema } from '../abi/decoded.ts'
import { addressObject, addressOrNull, addressSchema } from '../address.ts'
import { isoTime } from '../dates.ts'
import type { Lookups } from '../lookups.ts'
import { bytesString, hashString, integer, named, timeString } from '../schemas.ts'

/** Schema of {@link logObject}. */
export const logSchema = named(
  'Log',
  z
    .object({
      address: addressSchema.describe('The contract that emitted it.'),
      address_hash: addressSchema.describe('The same as address, for other clients.'),
      smart_contract: addressSchema
        .nullable()
        .describe('Recipient of the transaction; null for a contract creation.'),
      block_hash: hashString.describe('Hash of the block.'),
      block_number: integer.describe('Number of the block.'),
      block_timestamp: timeString.describe('Time of the block, UTC.'),
      transaction_hash: hashString.describe('Hash of the transaction.'),
      index: integer.describe('Index of the log in its block, from 0.'),
      data: bytesString.describe('Values that are not indexed, ABI-encoded.'),
      topics: z
        .array(hashString.nullable())
        .length(4)
        .describe('Signature hash and indexed values; missing ones are null.'),
      decoded: decodedEventSchema.nullable().describe('Null without a known signature that fits.'),
    })
    .describe('An event log.'),
)

/** A log, whichever of its two tables it was read from. */
export type LogRow = Row<typeof logsByAddress>

/** Clients index topics 0 to 3. */
const topicsShown = 4

/** An event log. */
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
