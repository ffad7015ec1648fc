import { addressType, hashType, uint8, uint32, uint64 } from './columns.ts'
import { table } from './table.ts'
import { transactionColumns } from './transaction-columns.ts'

/** Sides of a transaction, as stored in keys. */
export const side = { sender: 0, recipient: 1 } as const

/** The recipient's side holds the contract that a creation made, too. */
export const transactionsByAddress = table({
  name: 'transactions_by_address',
  serves: 'endpoint 2 by block; a transaction to oneself is on both sides',
  group: 'ledger',
  source: 'blocks',
  key: { address: addressType, side: uint8, blockNumber: uint64, index: uint32, hash: hashType },
  columns: transactionColumns,
  granularity: 256,
})
