import {
  addressType,
  bytesType,
  hashType,
  listType,
  nullable,
  uint32,
  uint64,
} from '../declare/columns.ts'
import { table } from '../declare/table.ts'

/** Recipient of its transaction; null for a creation. */
const recipient = nullable(addressType)

/** Columns of a log that a page shows all of, of few rows. */
const packed = {
  transactionIndex: uint32,
  /** Seconds. */
  timestamp: uint64,
  blockHash: hashType,
  address: addressType,
  recipient,
  topics: listType(hashType),
  data: bytesType,
}

/** A log is encoded once for both tables that contain all of it. */
const shared = { blockNumber: uint64, logIndex: uint32, transactionHash: hashType, ...packed }

export const logsByAddress = table({
  name: 'logs_by_address',
  serves: 'endpoint 6: the logs that an address emitted',
  group: 'ledger',
  source: 'blocks',
  key: { address: addressType, blockNumber: uint64, logIndex: uint32 },
  columns: { transactionHash: hashType, ...packed },
  packed,
  granularity: 256,
  shared,
})

/** One row for each distinct topic of a log: the filter matches any of the four. */
export const logsByTopic = table({
  name: 'logs_by_topic',
  serves: 'endpoint 6 with a topic; the rows come from logs_by_address by key',
  group: 'ledger',
  source: 'blocks',
  key: { address: addressType, topic: hashType, blockNumber: uint64, logIndex: uint32 },
  columns: {},
  granularity: 512,
  invalidatedWith: logsByAddress,
})

export const logsByTransaction = table({
  name: 'logs_by_transaction',
  serves: 'endpoint 9: what a transaction did, and the first logs of its request body',
  group: 'ledger',
  source: 'blocks',
  key: { transactionHash: hashType, logIndex: uint32 },
  columns: { blockNumber: uint64, ...packed },
  packed,
  granularity: 256,
  shared,
})
