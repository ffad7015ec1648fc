import { addressType, descending, hashType, uint32, uint64 } from './columns.ts'
import { table } from './table.ts'
import { transferColumns } from './transfers-by-token.ts'

export const transfersByTransaction = table({
  name: 'transfers_by_transaction',
  serves: 'endpoints 7 and 9, and the first transfers of a transaction in a list',
  group: 'ledger',
  source: 'blocks',
  key: { transactionHash: hashType, logIndex: uint32, batchIndex: descending(uint32) },
  columns: { token: addressType, blockNumber: uint64, ...transferColumns },
  granularity: 256,
})
