import {
  addressType,
  bool,
  bytesType,
  hashType,
  nullable,
  textType,
  uint8,
  uint32,
  uint64,
  uint256,
} from './columns.ts'
import { table } from './table.ts'

/** Columns of a transaction in a list, without the keys, which differ by table. */
const transactionColumns = {
  blockHash: hashType,
  /** Seconds. */
  timestamp: uint64,
  parentTimestamp: nullable(uint64),
  type: uint32,
  nonce: uint64,
  from: addressType,
  to: nullable(addressType),
  createdContract: nullable(addressType),
  value: uint256,
  input: bytesType,
  gasLimit: uint256,
  gasUsed: uint256,
  gasPrice: uint256,
  maxFeePerGas: nullable(uint256),
  maxPriorityFeePerGas: nullable(uint256),
  baseFeePerGas: nullable(uint256),
  /** 1 ok, 0 failed, null if the receipt has no status. */
  status: nullable(uint8),
  revertReason: nullable(bytesType),
  error: nullable(textType),
  /** Items that endpoint 7 lists: after merging, batches flattened. */
  transfersCount: uint32,
  /** Null without traces. */
  hasInnerError: nullable(bool),
  /** JSON: the authorizations of a type 4 transaction, as in topic `blocks`. */
  authorizations: textType,
  /** JSON: what the transaction did with known protocols; amounts as decimal strings. */
  actions: textType,
}

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
