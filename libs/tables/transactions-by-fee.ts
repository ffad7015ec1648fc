import { addressType, hashType, uint8, uint32, uint64, uint256 } from './columns.ts'
import { table } from './table.ts'
import { transactionsByAddress } from './transactions-by-address.ts'

export const transactionsByFee = table({
  name: 'transactions_by_fee',
  serves: 'endpoint 2 sorted by fee (gas used times effective price)',
  group: 'ledger',
  source: 'blocks',
  key: {
    address: addressType,
    side: uint8,
    fee: uint256,
    blockNumber: uint64,
    index: uint32,
    hash: hashType,
  },
  columns: {},
  granularity: 512,
  invalidatedWith: transactionsByAddress,
})
