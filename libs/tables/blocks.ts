import { hashType, nullable, uint32, uint64, uint256 } from './columns.ts'
import { table } from './table.ts'

export const blocks = table({
  name: 'blocks',
  serves: 'the head, timestamps, audits',
  group: 'ledger',
  source: 'blocks',
  key: { number: uint64 },
  columns: {
    hash: hashType,
    parentHash: hashType,
    timestamp: uint64,
    transactionsCount: uint32,
    gasUsed: uint256,
    baseFeePerGas: nullable(uint256),
  },
  granularity: 1024,
  invalidatedWith: 'nothing',
})
