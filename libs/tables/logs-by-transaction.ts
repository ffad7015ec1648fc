import { addressType, bytesType, hashType, listType, nullable, uint32, uint64 } from './columns.ts'
import { table } from './table.ts'

export const logsByTransaction = table({
  name: 'logs_by_transaction',
  serves: 'endpoint 9: what a transaction did, and the first logs of its request body',
  group: 'ledger',
  source: 'blocks',
  key: { transactionHash: hashType, logIndex: uint32 },
  columns: {
    blockNumber: uint64,
    blockHash: hashType,
    timestamp: uint64,
    transactionIndex: uint32,
    /** Whom its transaction was sent to; null for a creation. */
    recipient: nullable(addressType),
    address: addressType,
    topics: listType(hashType),
    data: bytesType,
  },
  granularity: 256,
})
