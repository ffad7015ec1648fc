import { type Hex, keccak256, toRlp } from 'viem'
import { z } from 'zod'
import { pauses } from '../../../chain/pauses.ts'
import type { HeaderRules } from '../../../settings/source-settings.ts'
import { Bloom, receiptsRoot } from './receipts-root.ts'
import type { RpcBlock, RpcReceipt } from './rpc-schemas.ts'
import { isFreeReceipt, stateSyncFault, stateSyncHash } from './state-sync.ts'

/** Rules by which a block is proved. */
export interface ProofOptions {
  /** The block as returned by the node: its hash is computed from the fields unchanged. */
  readonly header: unknown
  readonly rules: HeaderRules
}

/**
 * Checks that a block is consistent, without its receipts. By Ethereum's rules its hash proves the
 * header; `linked` proves only what blocks of all chains have.
 *
 * @returns whether nothing indicates a chain whose rules differ from Ethereum's
 * @throws BlockInconsistent
 */
export function checkHeader(
  block: RpcBlock,
  { header, rules }: ProofOptions,
): { readonly isOfOurRules: boolean } {
  const computed = rules === 'ethereum' ? headerHash(header) : null
  if (computed) checkHash(block, computed)
  const fail = (field: string, what: string): never => {
    throw new BlockInconsistent(block, field, what)
  }
  block.transactions.forEach((transaction, at) => {
    const place = `transactions[${at}]`
    if (transaction.blockHash !== block.hash) fail(`${place}.blockHash`, 'is of another block')
    if (transaction.blockNumber !== block.number) fail(`${place}.blockNumber`, 'is another number')
    if (transaction.transactionIndex !== at) fail(`${place}.transactionIndex`, `is not ${at}`)
  })
  const hashes = new Set(block.transactions.map(({ hash }) => hash))
  if (hashes.size < block.transactions.length) fail('transactions', 'hold the same hash twice')
  // Fields of its own: a chain on top of another may count the other's gas as well.
  const isOfOurRules = computed !== null && (!computed.known || computed.surplus.length === 0)
  return { isOfOurRules }
}

function checkHash(block: RpcBlock, computed: HeaderHash): void {
  // A header with missing or unknown fields cannot be hashed.
  if (!computed.known || computed.hash === block.hash || computed.surplus.length > 0) return
  throw new BlockInconsistent(
    block,
    'hash',
    `is ${block.hash}, but its header hashes to ${computed.hash}`,
  )
}

/**
 * Checks that receipts are complete and belong to a block: no partial block may be published. By
 * Ethereum's rules the header's bloom and root prove the receipts and their logs, but for the state
 * sync of Polygon, which only its hash connects with the block.
 *
 * @throws BlockInconsistent
 */
export async function checkReceipts(
  block: RpcBlock,
  receipts: readonly RpcReceipt[],
  rules: HeaderRules,
): Promise<void> {
  const syncHash = stateSyncHash(block)
  const syncAt = block.transactions.findIndex(({ hash }) => hash === syncHash)
  const count = block.transactions.length
  const isSynced = receipts.some(({ transactionHash }) => transactionHash === syncHash)
  // No other receipts can help: its logs would be lost.
  if (isSynced && syncAt < 0) {
    throw new BlockInconsistent(block, 'transactions', 'lack the state sync that its receipts have')
  }
  if (receipts.length !== count) {
    const sentence = `are ${receipts.length} for ${count} transactions`
    const isLeftOut = syncAt >= 0 && !isSynced && receipts.length === count - 1
    const what = isLeftOut ? `${sentence}: that of the state sync is missing` : sentence
    throw new ReceiptsInconsistent(block, 'receipts', what)
  }
  receipts.forEach((receipt, at) => {
    checkReceipt(block, receipt, at)
  })
  checkLogs(block, receipts, rules)
  if (syncAt >= 0) checkStateSync(block, receipts, syncAt)
  if (rules === 'ethereum')
    await checkRoots(block, syncAt < 0 ? receipts : receipts.slice(0, syncAt))
}

function checkStateSync(block: RpcBlock, receipts: readonly RpcReceipt[], at: number): void {
  const fault = stateSyncFault(block, at)
  if (fault !== null) throw new BlockInconsistent(block, `transactions[${at}]`, fault)
  const receipt = receipts[at]
  if (!receipt || isFreeReceipt(receipt)) return
  throw new ReceiptsInconsistent(block, `receipts[${at}].gasUsed`, 'of a state sync is not 0')
}

function checkReceipt(block: RpcBlock, receipt: RpcReceipt, at: number): void {
  const place = `receipts[${at}]`
  const fail = (field: string, what: string): never => {
    throw new ReceiptsInconsistent(block, `${place}.${field}`, what)
  }
  if (receipt.transactionHash !== block.transactions[at]?.hash) {
    fail('transactionHash', 'is not that of the transaction in its place')
  }
  if (receipt.transactionIndex !== at) fail('transactionIndex', `is not ${at}`)
  if (receipt.blockHash !== block.hash) fail('blockHash', 'is of another block')
  if (receipt.blockNumber !== block.number) fail('blockNumber', 'is another number')
}

function checkLogs(block: RpcBlock, receipts: readonly RpcReceipt[], rules: HeaderRules): void {
  let count = 0
  let last = -1
  for (const receipt of receipts) {
    for (const log of receipt.logs) {
      const fail = (field: string, what: string): never => {
        throw new ReceiptsInconsistent(block, `logs[${count}].${field}`, what)
      }
      if (log.removed) fail('removed', 'is true: the log belongs to an orphaned block')
      const fault = indexFault(log.logIndex, { count, last, rules })
      if (fault !== null) fail('logIndex', `is ${log.logIndex}: ${fault}`)
      if (log.blockHash !== block.hash) fail('blockHash', 'is of another block')
      if (log.transactionHash !== receipt.transactionHash) {
        fail('transactionHash', 'is not that of its receipt')
      }
      if (log.transactionIndex !== receipt.transactionIndex) {
        fail('transactionIndex', 'is not that of its receipt')
      }
      count++
      last = log.logIndex
    }
  }
}

/** Other chains may leave numbers out; rows have the index in their key, so none may come twice. */
function indexFault(
  index: number,
  { count, last, rules }: { count: number; last: number; rules: HeaderRules },
): string | null {
  if (rules === 'ethereum') return index === count ? null : 'a log is missing or twice'
  return index > last ? null : 'indexes of logs have to ascend in the whole block'
}

async function checkRoots(block: RpcBlock, receipts: readonly RpcReceipt[]): Promise<void> {
  const pause = pauses()
  const bloom = new Bloom()
  for (const { logs } of receipts) {
    for (const log of logs) {
      bloom.add(log)
      await pause()
    }
  }
  if (bloom.text !== block.logsBloom) {
    throw new ReceiptsInconsistent(block, 'logsBloom', 'is not that of its logs')
  }
  if (block.receiptsRoot == null) return
  const root = await receiptsRoot(receipts, pause)
  if (root === null || root === block.receiptsRoot) return
  throw new ReceiptsInconsistent(block, 'receiptsRoot', `is not that of its receipts: ${root}`)
}

/** A block that contradicts itself, its receipts or its form. Names the block and the field. */
export class BlockInconsistent extends Error {
  override readonly name: string = 'BlockInconsistent'
  readonly block: number | string
  /** Null where the answer has none. */
  readonly hash: string | null
  readonly field: string

  constructor(block: BlockName, field: string, what: string) {
    super(`block ${block.number}: ${field} ${what}`)
    this.block = block.number
    this.hash = block.hash
    this.field = field
  }

  /** Equal where the same answers come again; see `SourceError.contradiction`. */
  get key(): string {
    return `${this.hash}: ${this.message}`
  }
}

/** Which block it is, as far as an answer says. */
export interface BlockName {
  readonly number: number | string
  readonly hash: string | null
}

/** Receipts that contradict their block, or are malformed: others may prove it. */
export class ReceiptsInconsistent extends BlockInconsistent {
  override readonly name: string = 'ReceiptsInconsistent'
}

/** The header's fields in the order in which they are hashed, up to the Merge's last. */
const always = [
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'extraData',
  'mixHash',
  'nonce',
] as const

/** Each fork added fields at the end; a header has a prefix of these. */
const added = [
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
] as const

const quantities: ReadonlySet<string> = new Set([
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'baseFeePerGas',
  'blobGasUsed',
  'excessBlobGas',
])

/** Fields of the answer that are no part of the header. */
const besides: ReadonlySet<string> = new Set([
  'hash',
  'size',
  'totalDifficulty',
  'transactions',
  'uncles',
  'withdrawals',
])

const hexForm = z.string().regex(/^0x[0-9a-fA-F]*$/)
const headerForm = z.record(z.string(), z.unknown())

type HeaderHash =
  | { readonly known: true; readonly hash: Hex; readonly surplus: readonly string[] }
  | { readonly known: false; readonly missing: readonly string[] }

/**
 * The hash of a header as a node returns it. Unknown if the node omits fields; `surplus` are fields
 * that are not known here, which may belong to another chain's header.
 */
export function headerHash(header: unknown): HeaderHash {
  const fields = headerForm.parse(header)
  const has = (name: string) => fields[name] !== undefined && fields[name] !== null
  const last = added.findLastIndex(has)
  const names: readonly string[] = [...always, ...added.slice(0, last + 1)]
  const missing = names.filter((name) => !has(name))
  if (missing.length > 0) return { known: false, missing }
  const items = names.map((name) => rlpItem(name, hexForm.parse(fields[name])))
  const surplus = Object.keys(fields).filter((name) => !besides.has(name) && !names.includes(name))
  return { known: true, hash: keccak256(toRlp(items)), surplus: surplus.filter(has) }
}

/** Quantities are hashed without leading zeros, zero as nothing; other fields unchanged. */
function rlpItem(name: string, text: string): Hex {
  if (!quantities.has(name)) return `0x${text.slice(2).toLowerCase()}`
  const digits = text.slice(2).replace(/^0+/, '')
  return `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`
}
