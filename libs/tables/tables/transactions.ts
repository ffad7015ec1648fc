import type { Hex } from '../../chain/hex.ts'
import {
  addressType,
  bool,
  bytesType,
  hashType,
  jsonTextType,
  nullable,
  textType,
  uint8,
  uint32,
  uint64,
  uint256,
} from '../declare/columns.ts'
import { type Row, table } from '../declare/table.ts'

/** Columns of a transaction without its input: a page shows all of them, of few rows. */
const packed = {
  /** Seconds. */
  timestamp: uint64,
  parentTimestamp: nullable(uint64),
  type: uint32,
  nonce: uint64,
  from: addressType,
  to: nullable(addressType),
  createdContract: nullable(addressType),
  value: uint256,
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
  /** JSON: the authorizations of a type 4 transaction, as in topic `blocks`, with their status. */
  authorizations: textType,
  /** JSON: what the transaction did with known protocols; amounts as decimal strings. */
  actions: textType,
}

/** Columns of a transaction in a list, without the keys, which differ by table. */
const transactionColumns = {
  ...packed,
  input: bytesType,
  /** JSON: what few transactions have, blobs and the fees of rollups; empty for all others. */
  extras: jsonTextType,
}

/** Sides of a transaction, as stored in keys. */
export const side = { sender: 0, recipient: 1 } as const

/** Bytes of the texts of a row in a list: 98 % of the transactions of `test/mainnet` have fewer. */
export const textsBytesMax = 2_048

/** Columns of a row of a list. */
const listedColumns = {
  ...transactionColumns,
  /** Null if the texts of the row are longer than `textsBytesMax`: all of them are then empty. */
  input: nullable(bytesType),
  /** `packedTransfers`: at most `firstTransfersMax`, in the order of endpoint 7. */
  firstTransfers: bytesType,
}

const place = { hash: hashType, blockNumber: uint64, index: uint32 }

interface Texts {
  readonly input: Hex
  readonly revertReason: Hex | null
  readonly error: string | null
  readonly authorizations: string
  readonly actions: string
  readonly extras: string
}

const noTexts = {
  input: null,
  revertReason: null,
  error: null,
  authorizations: '[]',
  actions: '[]',
  extras: '',
} as const

/** A row as a list contains it: an input may have megabytes, and each side has a row. */
export function withoutLongTexts<R extends Texts>(row: R): R | (Omit<R, keyof Texts> & NoTexts) {
  const hexChars = row.input.length + (row.revertReason?.length ?? 0)
  const chars = (row.error?.length ?? 0) + row.authorizations.length + row.actions.length
  return hexChars / 2 + chars + row.extras.length <= textsBytesMax ? row : { ...row, ...noTexts }
}

type NoTexts = typeof noTexts

/** What `withoutLongTexts` leaves out. */
export const textsOf = ({
  input,
  revertReason,
  error,
  authorizations,
  actions,
  extras,
}: Texts): Texts => ({ input, revertReason, error, authorizations, actions, extras })

/** The recipient's side holds the contract that a creation made, too. */
export const transactionsByAddress = table({
  name: 'transactions_by_address',
  serves: 'endpoint 2; a transaction to oneself is on both sides; long texts are in transactions',
  group: 'ledger',
  source: 'blocks',
  key: { address: addressType, side: uint8, blockNumber: uint64, index: uint32, hash: hashType },
  columns: listedColumns,
  packed: listedColumns,
  granularity: 128,
  hasWideRows: true,
  shared: { ...place, ...listedColumns },
  phase: 'lists',
})

/**
 * Keys without the hash, which would be most of their bytes: a transaction of another fork at the
 * same place is a later version of the key, and the row that belongs to it has its position.
 */
export const transactionsByValue = table({
  name: 'transactions_by_value',
  serves: 'endpoint 2 sorted by value; the rows come from transactions_by_address by key',
  group: 'ledger',
  source: 'blocks',
  key: { address: addressType, side: uint8, value: uint256, blockNumber: uint64, index: uint32 },
  columns: {},
  granularity: 512,
  invalidatedWith: transactionsByAddress,
  phase: 'lists',
})

export const transactionsByFee = table({
  name: 'transactions_by_fee',
  serves: 'endpoint 2 sorted by fee; rows as by value',
  group: 'ledger',
  source: 'blocks',
  key: { address: addressType, side: uint8, fee: uint256, blockNumber: uint64, index: uint32 },
  columns: {},
  granularity: 512,
  invalidatedWith: transactionsByAddress,
  phase: 'lists',
})

export const transactions = table({
  name: 'transactions',
  serves: 'whether a transaction exists (endpoints 7 and 9), its page, and long texts of lists',
  group: 'ledger',
  source: 'blocks',
  key: { hash: hashType },
  columns: { blockNumber: uint64, index: uint32, blockHash: hashType, ...transactionColumns },
  packed: { blockHash: hashType, ...packed },
  granularity: 128,
  hasWideRows: true,
  phase: 'existence',
})

/** A row of a list of transactions, with its texts. */
export type ListedTransaction = Omit<Row<typeof transactions>, 'blockHash'> &
  Pick<Row<typeof transactionsByAddress>, 'firstTransfers'>
