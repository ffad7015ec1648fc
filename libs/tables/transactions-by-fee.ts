import { address, hash, uint8, uint32, uint64, uint256 } from './columns.ts'
import { table } from './table.ts'

export const transactionsByFee = table({
  name: 'transactions_by_fee',
  serves: 'endpoint 2 sorted by fee (gas used times effective price)',
  group: 'ledger',
  source: 'blocks',
  key: { address, side: uint8, fee: uint256, blockNumber: uint64, index: uint32, hash },
  columns: {},
  granularity: 512,
})
