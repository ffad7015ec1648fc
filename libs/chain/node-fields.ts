import type { Address, Hash, Hex } from './hex.ts'

/** Bytes of a header's extra data; clique and its kind write lists of validators there. */
export const extraBytesMax = 64 * 1024

/** Numeric fields that other chains add to a receipt: how many, and how long their names are. */
export const receiptFieldsMax = 32
export const receiptFieldName = /^[A-Za-z][A-Za-z0-9]{0,47}$/

/**
 * What a node says of a block besides what the folds need; kept because it cannot be asked again
 * once nodes have pruned it. Null where the chain or the source lacks it.
 */
export interface HeaderFields {
  readonly size: number | null
  readonly difficulty: bigint | null
  readonly totalDifficulty: bigint | null
  /** Null also if longer than `extraBytesMax`. */
  readonly extraData: Hex | null
  /** Eight bytes as they stand in the header. */
  readonly nonce: Hex | null
  readonly mixHash: Hash | null
  readonly sha3Uncles: Hash | null
  readonly uncles: readonly Hash[] | null
  readonly stateRoot: Hash | null
  readonly transactionsRoot: Hash | null
  readonly receiptsRoot: Hash | null
  readonly withdrawalsRoot: Hash | null
  readonly withdrawals: readonly Withdrawal[] | null
  readonly blobGasUsed: bigint | null
  readonly excessBlobGas: bigint | null
  readonly parentBeaconBlockRoot: Hash | null
  readonly requestsHash: Hash | null
}

/** A payment of the beacon chain; amount in gwei. */
export interface Withdrawal {
  readonly index: bigint
  readonly validatorIndex: bigint
  readonly address: Address
  readonly amount: bigint
}

/** All of a header but what every block has: nothing is said of it. */
export const unknownHeader: HeaderFields = {
  size: null,
  difficulty: null,
  totalDifficulty: null,
  extraData: null,
  nonce: null,
  mixHash: null,
  sha3Uncles: null,
  uncles: null,
  stateRoot: null,
  transactionsRoot: null,
  receiptsRoot: null,
  withdrawalsRoot: null,
  withdrawals: null,
  blobGasUsed: null,
  excessBlobGas: null,
  parentBeaconBlockRoot: null,
  requestsHash: null,
}

/**
 * What a node says of a transaction besides what every chain has. Null where the chain or the
 * source lacks it.
 */
export interface TransactionExtras {
  readonly accessList: readonly AccessListEntry[] | null
  readonly signature: Signature | null
  /** Null if neither transaction nor receipt mentions blobs. */
  readonly blob: BlobFields | null
  /** Of a rollup's deposit. */
  readonly deposit: DepositFields | null
  /** State root after the transaction, in receipts older than Byzantium. */
  readonly root: Hash | null
  /**
   * Numeric fields that other chains add to a receipt, under their own names, as plain decimals:
   * `l1Fee`, `l1GasUsed`, `operatorFeeScalar`, `depositNonce` and so on. Null if there are none.
   */
  readonly receiptFields: ReceiptFields | null
}

export type ReceiptFields = Readonly<Record<string, string>>

/** EIP-2930. */
export interface AccessListEntry {
  readonly address: Address
  readonly storageKeys: readonly Hash[]
}

/** As the node returns it: `v` of a legacy transaction contains the chain id (EIP-155). */
export interface Signature {
  /** Padded to 32 bytes. */
  readonly r: Hash
  /** Padded to 32 bytes. */
  readonly s: Hash
  readonly v: bigint | null
  readonly yParity: 0 | 1 | null
}

/** EIP-4844; amounts in wei. Some nodes add a price to receipts of transactions without blobs. */
export interface BlobFields {
  readonly blobVersionedHashes: readonly Hash[] | null
  readonly maxFeePerBlobGas: bigint | null
  readonly blobGasUsed: bigint | null
  readonly blobGasPrice: bigint | null
}

export interface DepositFields {
  readonly sourceHash: Hash | null
  /** Wei that came into being with the deposit. */
  readonly mint: bigint | null
  readonly isSystemTx: boolean | null
}

/** A transaction of which nothing of that is said. */
export const unknownExtras: TransactionExtras = {
  accessList: null,
  signature: null,
  blob: null,
  deposit: null,
  root: null,
  receiptFields: null,
}

export interface AuthorizationSignature {
  /** Padded to 32 bytes. */
  readonly r: Hash
  /** Padded to 32 bytes. */
  readonly s: Hash
  readonly yParity: bigint
}

/** What version 2 of topic `blocks` adds to a call; null where the trace lacks it. */
export interface CallPlace {
  /** Gas that it was given. */
  readonly gas: bigint | null
  readonly gasUsed: bigint | null
  /** The contract that a creation made, also where `to` does not name it. */
  readonly createdContract: Address | null
  /**
   * Index among the calls of each level, from the transaction down: `[]` is the transaction's own
   * call, `[0, 2]` the third call of its first call.
   */
  readonly traceAddress: readonly number[] | null
}

export const unknownPlace: CallPlace = {
  gas: null,
  gasUsed: null,
  createdContract: null,
  traceAddress: null,
}
