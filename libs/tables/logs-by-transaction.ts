import { address, bytes, hash, list, nullable, uint32, uint64 } from './columns.ts'
import { table } from './table.ts'

export const logsByTransaction = table({
  name: 'logs_by_transaction',
  serves: 'endpoint 9: what a transaction did, and the first logs of its request body',
  group: 'ledger',
  source: 'blocks',
  key: { transactionHash: hash, logIndex: uint32 },
  columns: {
    blockNumber: uint64,
    blockHash: hash,
    timestamp: uint64,
    transactionIndex: uint32,
    /** Whom its transaction was sent to; null for a creation. */
    recipient: nullable(address),
    address,
    topics: list(hash),
    data: bytes,
  },
  granularity: 256,
})
