import { address, bytes, hash, list, nullable, uint32, uint64 } from './columns.ts'
import { table } from './table.ts'

export const logsByAddress = table({
  name: 'logs_by_address',
  serves: 'endpoint 6: the logs that an address emitted',
  group: 'ledger',
  source: 'blocks',
  key: { address, blockNumber: uint64, logIndex: uint32 },
  columns: {
    blockHash: hash,
    timestamp: uint64,
    transactionHash: hash,
    transactionIndex: uint32,
    /** Whom its transaction was sent to; null for a creation. */
    recipient: nullable(address),
    topics: list(hash),
    data: bytes,
  },
  granularity: 256,
})
