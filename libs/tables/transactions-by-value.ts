import { addressType, hashType, uint8, uint32, uint64, uint256 } from './columns.ts'
import { table } from './table.ts'
import { transactionsByAddress } from './transactions-by-address.ts'

export const transactionsByValue = table({
  name: 'transactions_by_value',
  serves: 'endpoint 2 sorted by value; the rows come from transactions_by_address by key',
  group: 'ledger',
  source: 'blocks',
  key: {
    address: addressType,
    side: uint8,
    value: uint256,
    blockNumber: uint64,
    index: uint32,
    hash: hashType,
  },
  columns: {},
  granularity: 512,
  invalidatedWith: transactionsByAddress,
})
