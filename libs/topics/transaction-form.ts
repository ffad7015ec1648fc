import { z } from 'zod'
import { paidFee } from '../chain/fee.ts'
import { receiptFieldName, receiptFieldsMax } from '../chain/node-fields.ts'
import {
  addressText,
  amountText,
  decimalText,
  hashText,
  hexText,
  integerNumber,
} from './quantities.ts'

/** Calls kept of one transaction; a cheap transaction can make gigabytes of trace. */
const callsPerTransactionMax = 10_000
/** Levels of calls: no chain allows more. */
const traceDepthMax = 1024

/** A field that version 2 added: null in messages without it. */
export const added = <S extends z.ZodType>(schema: S) => schema.nullable().default(null)

/** Keys of tables hold these in 32 bits. */
const place = z.int().nonnegative().max(0xffff_ffff, 'above 2^32-1')
export const log = z.object({
  index: place,
  address: addressText,
  topics: z.array(hashText).max(4),
  data: hexText,
})

const call = z.object({
  type: z.string().max(32),
  from: addressText,
  to: addressText.nullable(),
  value: amountText,
  error: z.string().max(1024).nullable(),
  selector: hexText.nullable(),
  gas: added(amountText),
  gasUsed: added(amountText),
  createdContract: added(addressText),
  traceAddress: added(z.array(place).max(traceDepthMax)),
})

const authorization = z.object({
  chainId: amountText,
  nonce: amountText,
  delegate: addressText,
  authority: addressText.nullable(),
  signature: added(z.object({ r: hashText, s: hashText, yParity: amountText })),
})

const accessListEntry = z.object({ address: addressText, storageKeys: z.array(hashText) })

const signature = z.object({
  r: hashText,
  s: hashText,
  v: amountText.nullable(),
  yParity: z.union([z.literal(0), z.literal(1), z.null()]),
})

const blob = z.object({
  blobVersionedHashes: z.array(hashText).nullable(),
  maxFeePerBlobGas: amountText.nullable(),
  blobGasUsed: amountText.nullable(),
  blobGasPrice: amountText.nullable(),
})

const deposit = z.object({
  sourceHash: hashText.nullable(),
  mint: amountText.nullable(),
  isSystemTx: z.boolean().nullable(),
})

const receiptFields = z
  .record(z.string().regex(receiptFieldName, 'not a name of a receipt field'), decimalText)
  .refine((fields) => Object.keys(fields).length <= receiptFieldsMax, {
    error: `more than ${receiptFieldsMax} receipt fields`,
  })
  .describe(`at most ${receiptFieldsMax} numbers under the names that a node gives them`)

const uint256End = 1n << 256n

const anyTransaction = z.object({
  hash: hashText,
  index: place,
  type: place,
  from: addressText,
  to: addressText.nullable(),
  nonce: integerNumber,
  value: amountText,
  input: hexText,
  gasLimit: amountText,
  gasUsed: amountText,
  gasPrice: amountText,
  maxFeePerGas: amountText.nullable(),
  maxPriorityFeePerGas: amountText.nullable(),
  status: z.union([z.literal(0), z.literal(1), z.null()]),
  createdContract: addressText.nullable(),
  revertReason: hexText.nullable(),
  error: z.string().max(1024).nullable(),
  authorizations: z.array(authorization),
  logs: z.array(log),
  calls: z.array(call).max(callsPerTransactionMax).nullable(),
  accessList: added(z.array(accessListEntry)),
  signature: added(signature),
  blob: added(blob),
  deposit: added(deposit),
  root: added(hashText),
  receiptFields: added(receiptFields),
})

/** A transaction of a block of topic `blocks`, with its receipt. */
export const transaction = anyTransaction.refine(
  (paid) => paidFee(paid) < uint256End,
  'a fee above 2^256-1',
)
