import { type Hash, hash, isHash } from '../../../chain/hex.ts'
import {
  type AuthorizationSignature,
  type BlobFields,
  type DepositFields,
  type HeaderFields,
  type ReceiptFields,
  receiptFieldName,
  receiptFieldsMax,
  type Signature,
  type TransactionExtras,
} from '../../../chain/node-fields.ts'
import type { RpcAuthorization, RpcBlock, RpcReceipt, RpcTransaction } from './rpc-schemas.ts'

/** What a node says besides what the folds need: kept in the log, see `HeaderFields`. */
export const headerFieldsOf = (block: RpcBlock): HeaderFields => ({
  size: block.size,
  difficulty: block.difficulty,
  totalDifficulty: block.totalDifficulty,
  extraData: block.extraData,
  nonce: block.nonce,
  mixHash: block.mixHash,
  sha3Uncles: block.sha3Uncles,
  uncles: block.uncles,
  stateRoot: block.stateRoot,
  transactionsRoot: block.transactionsRoot,
  receiptsRoot: hashOrNull(block.receiptsRoot),
  withdrawalsRoot: block.withdrawalsRoot,
  withdrawals: block.withdrawals,
  blobGasUsed: block.blobGasUsed,
  excessBlobGas: block.excessBlobGas,
  parentBeaconBlockRoot: block.parentBeaconBlockRoot,
  requestsHash: block.requestsHash,
})

export const extrasOf = (raw: RpcTransaction, receipt: RpcReceipt): TransactionExtras => ({
  accessList: raw.accessList ?? null,
  signature: signatureOf(raw),
  blob: blobOf(raw, receipt),
  deposit: depositOf(raw),
  root: hashOrNull(receipt.root),
  receiptFields: receiptFieldsOf(receipt),
})

function signatureOf({ r, s, v, yParity }: RpcTransaction): Signature | null {
  return r === null || s === null ? null : { r, s, v, yParity }
}

const word = (value: bigint) => hash(`0x${value.toString(16).padStart(64, '0')}`)

export const authorizationSignature = (raw: RpcAuthorization): AuthorizationSignature => ({
  r: word(raw.r),
  s: word(raw.s),
  yParity: raw.yParity,
})

function blobOf(
  { blobVersionedHashes, maxFeePerBlobGas }: RpcTransaction,
  { blobGasUsed, blobGasPrice }: RpcReceipt,
): BlobFields | null {
  const blob = { blobVersionedHashes, maxFeePerBlobGas, blobGasUsed, blobGasPrice }
  return Object.values(blob).every((value) => value === null) ? null : blob
}

function depositOf({ sourceHash, mint, isSystemTx }: RpcTransaction): DepositFields | null {
  const deposit = { sourceHash, mint, isSystemTx }
  return Object.values(deposit).every((value) => value === null) ? null : deposit
}

/** Other chains have constants of other lengths there. */
const hashOrNull = (text: string | null | undefined): Hash | null =>
  text != null && isHash(text) ? text : null

/** Fields of a receipt of Ethereum, which the message has elsewhere or which follow from it. */
const ofEthereum: ReadonlySet<string> = new Set([
  'transactionHash',
  'transactionIndex',
  'blockHash',
  'blockNumber',
  'blockTimestamp',
  'from',
  'to',
  'contractAddress',
  'type',
  'gasUsed',
  'cumulativeGasUsed',
  'effectiveGasPrice',
  'status',
  'root',
  'logs',
  'logsBloom',
  'blobGasUsed',
  'blobGasPrice',
])

/** Those that amounts depend on are kept first, should a chain add more than are kept. */
const charged: readonly string[] = [
  'l1Fee',
  'operatorFeeScalar',
  'operatorFeeConstant',
  'daFootprintGasScalar',
]

/** Its numbers are kept as plain decimals, in the order of their names; other values are not. */
function receiptFieldsOf(receipt: RpcReceipt): ReceiptFields | null {
  const others = Object.keys(receipt).filter(
    (name) => !ofEthereum.has(name) && receiptFieldName.test(name),
  )
  if (others.length === 0) return null
  const kept: [string, string][] = []
  const first = charged.filter((name) => others.includes(name))
  const rest = others.filter((name) => !charged.includes(name)).sort()
  for (const name of [...first, ...rest]) {
    const value = plainDecimal(receipt[name])
    if (value !== null && kept.length < receiptFieldsMax) kept.push([name, value])
  }
  return kept.length === 0 ? null : Object.fromEntries(kept.sort(byName))
}

const byName = ([one]: [string, string], [other]: [string, string]) => (one < other ? -1 : 1)

const quantityForm = /^0x[0-9a-fA-F]{1,64}$/
/** `l1FeeScalar` of the OP stack is `0.684`. */
const decimalForm = /^(?:0|[1-9][0-9]{0,77})(?:\.[0-9]{1,20})?$/
/** Addresses and hashes look like quantities. */
const bytesLengths: readonly number[] = [42, 66]

function plainDecimal(value: unknown): string | null {
  if (typeof value === 'number') return plainDecimal(String(value))
  if (typeof value !== 'string') return null
  if (decimalForm.test(value)) return value
  if (!quantityForm.test(value) || bytesLengths.includes(value.length)) return null
  return BigInt(value).toString()
}
