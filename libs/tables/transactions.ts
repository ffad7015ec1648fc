import { hashType, uint32, uint64 } from './columns.ts'
import { table } from './table.ts'
import { transactionColumns } from './transaction-columns.ts'

export const transactions = table({
  name: 'transactions',
  serves: 'whether a transaction exists (endpoints 7 and 9), and its page',
  group: 'ledger',
  source: 'blocks',
  key: { hash: hashType },
  columns: { blockNumber: uint64, index: uint32, ...transactionColumns },
  granularity: 256,
  provesExistence: true,
})
