import { addressType, bytesType, hashType, listType, nullable, uint32, uint64 } from './columns.ts'
import { table } from './table.ts'

export const logsByAddress = table({
  name: 'logs_by_address',
  serves: 'endpoint 6: the logs that an address emitted',
  group: 'ledger',
  source: 'blocks',
  key: { address: addressType, blockNumber: uint64, logIndex: uint32 },
  columns: {
    blockHash: hashType,
    timestamp: uint64,
    transactionHash: hashType,
    transactionIndex: uint32,
    /** Whom its transaction was sent to; null for a creation. */
    recipient: nullable(addressType),
    topics: listType(hashType),
    data: bytesType,
  },
  granularity: 256,
})
