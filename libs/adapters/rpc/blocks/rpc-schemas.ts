import { z } from 'zod'
import { timestampMax } from '../../../chain/block.ts'
import {
  type Address,
  type Hash,
  type Hex,
  isAddress,
  isHash,
  isHex,
  hash as toHash,
} from '../../../chain/hex.ts'
import { extraBytesMax } from '../../../chain/node-fields.ts'

/**
 * Forms of blocks in the responses of nodes; lenient where nodes differ, strict on what is used.
 */

/** Checks after lowering: some nodes answer with checksummed addresses. */
const lowered = <T extends string>(is: (text: string) => text is T & string, what: string) =>
  z.string().transform((text, context): T => {
    const lower = text.toLowerCase()
    if (is(lower)) return lower
    context.issues.push({ code: 'custom', message: `not ${what}`, input: text.slice(0, 80) })
    return z.NEVER
  })

const address = lowered<Address>(isAddress, 'an address')
const hash = lowered<Hash>(isHash, 'a 32-byte hash')
const bytes = lowered<Hex>(isHex, 'hex bytes')

const quantityForm = /^0x[0-9a-fA-F]{1,64}$/

/** Hex of at most 256 bits; leading zeros are tolerated, as some nodes send them. */
const quantity = z
  .string()
  .regex(quantityForm, 'not a hex quantity')
  .transform((text) => BigInt(text))

const count = z
  .string()
  .regex(quantityForm, 'not a hex quantity')
  .transform((text) => Number(text))
  .refine(Number.isSafeInteger, 'above 2^53-1')

/** Null for what is missing or malformed: no fold needs it, so it must not hold up a block. */
const optional = <S extends z.ZodType>(schema: S) =>
  schema
    .nullish()
    .transform((value) => value ?? null)
    .catch(null)

/** 32 bytes; some nodes send them without leading zeros. */
const word = z
  .string()
  .regex(quantityForm, 'not a hex quantity')
  .transform((text) => toHash(`0x${text.slice(2).padStart(64, '0')}`))

export const receiptLogSchema = z.object({
  address,
  topics: z.array(hash).max(4),
  data: bytes,
  logIndex: count,
  transactionHash: hash,
  transactionIndex: count,
  blockHash: hash,
  removed: z.boolean().nullish(),
})

/** Fields that are not listed are kept: other chains add some, see `node-fields.ts`. */
export const receiptSchema = z.looseObject({
  transactionHash: hash,
  transactionIndex: count,
  blockHash: hash,
  blockNumber: count,
  contractAddress: address.nullish(),
  type: count.nullish(),
  gasUsed: quantity,
  cumulativeGasUsed: quantity.nullish(),
  effectiveGasPrice: quantity.nullish(),
  /** Absent before Byzantium, which had `root` instead. */
  status: count.pipe(z.union([z.literal(0), z.literal(1)])).nullish(),
  root: bytes.nullish(),
  logs: z.array(receiptLogSchema),
  blobGasUsed: optional(quantity),
  blobGasPrice: optional(quantity),
})

const authorization = z.object({
  chainId: quantity,
  address,
  nonce: quantity,
  yParity: quantity,
  r: quantity,
  s: quantity,
})

const transactionSchema = z.object({
  hash,
  blockHash: hash,
  blockNumber: count,
  transactionIndex: count,
  type: count.refine((type) => type <= 0xffff_ffff, 'above 2^32-1').nullish(),
  from: address,
  to: address.nullish(),
  nonce: count,
  value: quantity,
  input: bytes,
  gas: quantity,
  gasPrice: quantity.nullish(),
  maxFeePerGas: quantity.nullish(),
  maxPriorityFeePerGas: quantity.nullish(),
  authorizationList: z.array(authorization).nullish(),
  accessList: z.array(z.object({ address, storageKeys: z.array(word) })).nullish(),
  r: optional(word),
  s: optional(word),
  v: optional(quantity),
  yParity: optional(count.pipe(z.union([z.literal(0), z.literal(1)]))),
  blobVersionedHashes: optional(z.array(hash)),
  maxFeePerBlobGas: optional(quantity),
  sourceHash: optional(hash),
  mint: optional(quantity),
  isSystemTx: optional(z.boolean()),
})

const second = count.refine(
  (time) => time <= timestampMax,
  'beyond the year 9999: the time of a block is in seconds',
)

const withdrawal = z.object({
  index: quantity,
  validatorIndex: quantity,
  address,
  amount: quantity,
})

const extraData = bytes.refine((text) => text.length <= 2 + 2 * extraBytesMax, 'too long')

/** Kept as the node returns them; the hash proves those of the header, see `check-block.ts`. */
const headerFields = {
  size: optional(count),
  difficulty: optional(quantity),
  totalDifficulty: optional(quantity),
  extraData: optional(extraData),
  nonce: optional(bytes),
  mixHash: optional(hash),
  sha3Uncles: optional(hash),
  uncles: optional(z.array(hash)),
  stateRoot: optional(hash),
  transactionsRoot: optional(hash),
  withdrawalsRoot: optional(hash),
  withdrawals: optional(z.array(withdrawal)),
  blobGasUsed: optional(quantity),
  excessBlobGas: optional(quantity),
  parentBeaconBlockRoot: optional(hash),
  requestsHash: optional(hash),
}

export const blockSchema = z.object({
  ...headerFields,
  number: count,
  hash,
  parentHash: hash,
  timestamp: second,
  miner: address,
  gasLimit: quantity,
  gasUsed: quantity,
  /** Compared with the receipts by Ethereum's rules: some chains have a constant, or none. */
  logsBloom: z.string().toLowerCase().nullish(),
  receiptsRoot: z.string().toLowerCase().nullish(),
  baseFeePerGas: quantity.nullish(),
  transactions: z.array(transactionSchema),
})

export const receiptsSchema = z.array(receiptSchema)

/** The few fields of a block asked without its transactions. */
export const headerSchema = z.object({ number: count, hash, parentHash: hash, timestamp: second })

export type RpcBlock = z.output<typeof blockSchema>
export type RpcTransaction = z.output<typeof transactionSchema>
export type RpcReceipt = z.output<typeof receiptSchema>
export type RpcAuthorization = z.output<typeof authorization>
export type RpcHeader = z.output<typeof headerSchema>
export const countSchema = count
export const bytesSchema = bytes

/** Results of contract calls are untrusted: null for whatever is malformed. */

const wordDigits = 64
/** As long as topic `blocks` allows; names of spam run to megabytes. */
const textCharactersMax = 1024
const decimalsMax = 255

/** The first 32-byte word of an answer, 0 .. 2^256-1. */
export function decodeUint(answer: unknown): bigint | null {
  const digits = digitsOf(answer)
  if (digits === null || digits.length < wordDigits) return null
  return BigInt(`0x${digits.slice(0, wordDigits)}`)
}

/** True only for a clean ABI `true`. */
export const decodeBool = (answer: unknown): boolean =>
  digitsOf(answer)?.length === wordDigits && decodeUint(answer) === 1n

export function decodeDecimals(answer: unknown): number | null {
  const value = decodeUint(answer)
  return value === null || value > decimalsMax ? null : Number(value)
}

/** An ABI string, or the bytes32 of early tokens; null for anything else, and for longer text. */
export function decodeText(answer: unknown, charactersMax = textCharactersMax): string | null {
  const digits = digitsOf(answer)
  if (digits === null) return null
  if (digits.length === wordDigits) return utf8(digits, charactersMax)
  const offset = smallWord(digits, 0)
  if (offset === null) return null
  const length = smallWord(digits, offset * 2)
  if (length === null || length > charactersMax * 4) return null
  const start = offset * 2 + wordDigits
  const text = digits.slice(start, start + length * 2)
  return text.length === length * 2 ? utf8(text, charactersMax) : null
}

const lenient = new TextDecoder('utf-8')

/** Up to the first NUL; bytes that are not UTF-8 become U+FFFD. Null if it is too long. */
function utf8(digits: string, charactersMax: number): string | null {
  const [text = ''] = lenient.decode(Buffer.from(digits, 'hex')).split('\0', 1)
  return text.length > charactersMax ? null : text
}

/** An offset or length that can lie inside the answer. */
function smallWord(digits: string, at: number): number | null {
  const word = digits.slice(at, at + wordDigits)
  if (word.length < wordDigits) return null
  const value = BigInt(`0x${word}`)
  return value <= BigInt(digits.length) ? Number(value) : null
}

function digitsOf(answer: unknown): string | null {
  if (typeof answer !== 'string') return null
  const lower = answer.toLowerCase()
  return isBytes(lower) ? lower.slice(2) : null
}

const isBytes = (text: string): text is Hex => isHex(text)
