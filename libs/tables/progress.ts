import { hash, nullable, text, uint64 } from './columns.ts'
import { table } from './table.ts'

export const progress = table({
  name: 'progress',
  serves: 'how far each group has written rows',
  group: 'ledger',
  source: 'blocks',
  key: { group: text },
  columns: {
    blockNumber: nullable(uint64),
    blockHash: nullable(hash),
    timestamp: nullable(uint64),
    /** Rows of the group written before this position are forgotten: the log has a hole there. */
    knownFrom: uint64,
  },
  granularity: 512,
})
