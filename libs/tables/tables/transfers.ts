import {
  addressType,
  descending,
  hashType,
  nullable,
  selector,
  uint8,
  uint32,
  uint64,
  uint256,
} from '../declare/columns.ts'
import { table } from '../declare/table.ts'

/** Columns of both tables of transfers besides their keys: a page shows all of them. */
const packed = {
  blockHash: hashType,
  timestamp: uint64,
  from: addressType,
  to: addressType,
  /** Index in `standards` of the form of its log. */
  form: uint8,
  /** Null for the ERC-20 form. */
  tokenId: nullable(uint256),
  value: uint256,
  /** Items of the log before merging; 1 but for batches. */
  batchSize: uint32,
  /** Of the transaction's input; null for a creation and for an input under four bytes. */
  method: nullable(selector),
  /** Of the transaction, whose ABI names the method; null for a creation. */
  recipient: nullable(addressType),
}

/** A transfer is encoded once for both tables. */
const shared = {
  token: addressType,
  blockNumber: uint64,
  logIndex: uint32,
  batchIndex: uint32,
  transactionHash: hashType,
  ...packed,
}

export const transfersByToken = table({
  name: 'transfers_by_token',
  serves: 'endpoint 5: transfers of a token, newest first, batches flattened',
  group: 'ledger',
  source: 'blocks',
  key: { token: addressType, blockNumber: uint64, logIndex: uint32, batchIndex: uint32 },
  columns: { transactionHash: hashType, ...packed },
  packed,
  granularity: 128,
  shared,
})

export const transfersByTransaction = table({
  name: 'transfers_by_transaction',
  serves: 'endpoints 7 and 9',
  group: 'ledger',
  source: 'blocks',
  key: { transactionHash: hashType, logIndex: uint32, batchIndex: descending(uint32) },
  columns: { token: addressType, blockNumber: uint64, ...packed },
  packed,
  granularity: 128,
  shared,
})
