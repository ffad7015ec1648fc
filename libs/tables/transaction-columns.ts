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

/** The whole list row of a transaction but for its keys, which differ by table. */
export const transactionColumns = {
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
  /** 1 ok, 0 failed, null where the receipt does not say. */
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
