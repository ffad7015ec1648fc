import { z } from 'zod'
import type { Transaction, TransactionLog } from '../../../chain/block.ts'
import { paidFee } from '../../../chain/fee.ts'
import type { Address } from '../../../chain/hex.ts'
import { pauses } from '../../../chain/pauses.ts'
import type { SourceBlock } from '../../../ports/chain-source.ts'
import type { HeaderRules } from '../../../settings/source-settings.ts'
import {
  BlockInconsistent,
  type BlockName,
  checkHeader,
  checkReceipts,
  ReceiptsInconsistent,
} from './check-block.ts'
import { blockOfManyFrom, manyReceiptsFrom } from './many-receipts.ts'
import { extrasOf, headerFieldsOf } from './node-fields.ts'
import { recoveredAuthorization } from './recovered-authorization.ts'
import {
  blockSchema,
  type RpcBlock,
  type RpcReceipt,
  type RpcTransaction,
  receiptsSchema,
} from './rpc-schemas.ts'

/**
 * A block of the domain from the responses of a node: `eth_getBlockByNumber(n, true)` and the
 * receipts of its transactions. Reasons of failures are not in these; see `failure-reasons.ts`.
 *
 * @throws BlockInconsistent if anything is missing, malformed, or contradicts the rest;
 * ReceiptsInconsistent if it is in the receipts
 */
export async function assembleBlock(
  saidBlock: unknown,
  saidReceipts: unknown,
  { parentTimestamp = null, rules = 'ethereum' }: AssembleOptions = {},
): Promise<SourceBlock> {
  const block = (await blockOfManyFrom(saidBlock)) ?? blockFrom(saidBlock)
  const { isOfOurRules } = checkHeader(block, { header: saidBlock, rules })
  const receipts = (await manyReceiptsFrom(saidReceipts)) ?? receiptsFrom(saidReceipts, block)
  await checkReceipts(block, receipts, rules)
  return {
    number: block.number,
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: block.timestamp,
    parentTimestamp,
    miner: block.miner,
    gasLimit: block.gasLimit,
    gasUsed: block.gasUsed,
    baseFeePerGas: block.baseFeePerGas ?? null,
    ...headerFieldsOf(block),
    transactions: await transactionsOf(block, receipts),
    contracts: isOfOurRules ? await addressesWithCode(block, receipts) : [],
  }
}

interface AssembleOptions {
  /** In seconds; null if the source does not have the parent. */
  readonly parentTimestamp?: number | null
  readonly rules?: HeaderRules
}

const uint256End = 1n << 256n

async function transactionsOf(
  block: RpcBlock,
  receipts: readonly RpcReceipt[],
): Promise<readonly Transaction[]> {
  const made: Transaction[] = []
  for (const [at, raw] of block.transactions.entries()) {
    const receipt = receipts[at]
    if (!receipt) throw new ReceiptsInconsistent(block, `receipts[${at}]`, 'is missing')
    const authorizations = await Promise.all(
      (raw.authorizationList ?? []).map(recoveredAuthorization),
    )
    const gasPrice = price(block, raw, receipt)
    const transaction = { ...transactionOf(raw, receipt), authorizations, gasPrice }
    // Neither hash nor root prove the price; the topic's readers skip a block with such a fee.
    if (paidFee(transaction) >= uint256End) {
      throw new ReceiptsInconsistent(block, `receipts[${at}]`, 'has a fee above 2^256-1')
    }
    made.push(transaction)
  }
  return made
}

function transactionOf(
  raw: RpcTransaction,
  receipt: RpcReceipt,
): Omit<Transaction, 'authorizations' | 'gasPrice'> {
  const status = receipt.status ?? null
  const to = raw.to ?? null
  return {
    hash: raw.hash,
    index: raw.transactionIndex,
    type: raw.type ?? 0,
    from: raw.from,
    to,
    nonce: raw.nonce,
    value: raw.value,
    input: raw.input,
    gasLimit: raw.gas,
    gasUsed: receipt.gasUsed,
    maxFeePerGas: raw.maxFeePerGas ?? null,
    maxPriorityFeePerGas: raw.maxPriorityFeePerGas ?? null,
    status,
    // Nodes name the would-be address of a failed creation too.
    createdContract: to === null && status !== 0 ? (receipt.contractAddress ?? null) : null,
    revertReason: null,
    error: null,
    logs: receipt.logs.map(logOf),
    calls: null,
    ...extrasOf(raw, receipt),
  }
}

const logOf = (raw: RpcReceipt['logs'][number]): TransactionLog => ({
  index: raw.logIndex,
  address: raw.address,
  topics: raw.topics,
  data: raw.data,
})

/** What a unit of gas cost in the end; receipts from before London often do not say. */
function price(block: RpcBlock, raw: RpcTransaction, receipt: RpcReceipt): bigint {
  if (receipt.effectiveGasPrice != null) return receipt.effectiveGasPrice
  if (raw.maxFeePerGas == null) return raw.gasPrice ?? 0n
  const offered = (block.baseFeePerGas ?? 0n) + (raw.maxPriorityFeePerGas ?? 0n)
  return offered < raw.maxFeePerGas ? offered : raw.maxFeePerGas
}

function blockFrom(said: unknown): RpcBlock {
  const read = blockSchema.safeParse(said)
  if (read.success) return read.data
  const { path, reason } = firstFault(read.error)
  throw new BlockInconsistent(nameOf(said), path || 'block', reason)
}

function receiptsFrom(said: unknown, block: RpcBlock): readonly RpcReceipt[] {
  const read = receiptsSchema.safeParse(said)
  if (read.success) return read.data
  const { path, reason } = firstFault(read.error)
  throw new ReceiptsInconsistent(block, path || 'receipts', reason)
}

function firstFault({ issues: [first] }: z.ZodError): { path: string; reason: string } {
  const path = (first?.path ?? []).map((step) => String(step)).join('.')
  return { path, reason: `is malformed: ${first?.message ?? 'no reason'}` }
}

const nameForm = z.object({
  number: z.string().transform(Number).catch(Number.NaN),
  hash: z.string().nullable().catch(null),
})

function nameOf(said: unknown): BlockName {
  const { data } = nameForm.safeParse(said)
  const isNumbered = data !== undefined && !Number.isNaN(data.number)
  return { number: isNumbered ? data.number : 'of unknown number', hash: data?.hash ?? null }
}

/** EIP-2028, 2930, 7702, 7623: what a call costs before any code runs. */
const gasOf = {
  transaction: 21_000n,
  zeroByte: 4n,
  byte: 16n,
  /** Before Istanbul. */
  oldByte: 68n,
  listedAddress: 2_400n,
  listedKey: 1_900n,
  authorization: 25_000n,
  floorZeroByte: 10n,
  floorByte: 40n,
} as const

/** Types whose costs these are; chains with types of their own count gas in their own ways. */
const typeMax = 4
/** Below it lie precompiled contracts, which burn gas and have no code. */
const firstAddress = 0x10000n

interface Call {
  readonly transaction: RpcTransaction
  readonly receipt: RpcReceipt
}

/**
 * Recipients whose code ran: a call to no code burns exactly its intrinsic gas, so what burned
 * more, and is none of the exact prices of other times, proves code. In order of appearance.
 */
export async function addressesWithCode(
  block: RpcBlock,
  receipts: readonly RpcReceipt[],
): Promise<readonly Address[]> {
  const found = new Set<Address>()
  const pause = pauses()
  for (const [at, transaction] of block.transactions.entries()) {
    const receipt = receipts[at]
    const { to } = transaction
    if (to && receipt && !found.has(to) && ranCode({ transaction, receipt })) found.add(to)
    await pause()
  }
  return [...found]
}

function ranCode({ transaction, receipt }: Call): boolean {
  const { to, type, input, accessList, authorizationList } = transaction
  if (!to || (type ?? 0) > typeMax || BigInt(to) < firstAddress) return false
  const { zeros, others } = bytesOf(input)
  const lists =
    gasOf.transaction +
    gasOf.authorization * BigInt(authorizationList?.length ?? 0) +
    (accessList ?? []).reduce(
      (sum, { storageKeys }) =>
        sum + gasOf.listedAddress + gasOf.listedKey * BigInt(storageKeys.length),
      0n,
    )
  const { gasUsed } = receipt
  const floor = gasOf.transaction + gasOf.floorZeroByte * zeros + gasOf.floorByte * others
  const old = lists + gasOf.zeroByte * zeros + gasOf.oldByte * others
  const intrinsic = lists + gasOf.zeroByte * zeros + gasOf.byte * others
  return gasUsed > intrinsic && gasUsed !== floor && gasUsed !== old
}

function bytesOf(input: string): { zeros: bigint; others: bigint } {
  const bytes = Buffer.from(input.slice(2), 'hex')
  let zeros = 0
  for (const byte of bytes) if (byte === 0) zeros++
  return { zeros: BigInt(zeros), others: BigInt(bytes.length - zeros) }
}
