import { type Hex, keccak256, toRlp } from 'viem'
import { z } from 'zod'
import { bloomOf, receiptsRoot } from './receipts-root.ts'
import type { RpcBlock, RpcReceipt } from './rpc-schemas.ts'

/**
 * Checks that a block and its receipts are complete and consistent: no partial block may be
 * published. The hash proves the header; the header's bloom and root prove the receipts and their
 * logs.
 *
 * @param header the block as returned by the node: its hash is computed from the fields unchanged
 * @returns whether nothing indicates a chain whose rules differ from Ethereum's
 * @throws BlockInconsistent
 */
export function checkBlock(
  block: RpcBlock,
  receipts: readonly RpcReceipt[],
  header: unknown,
): { readonly isOfOurRules: boolean } {
  const computed = headerHash(header)
  checkHash(block, computed)
  const count = block.transactions.length
  const fail = (field: string, what: string): never => {
    throw new BlockInconsistent(block.number, field, what)
  }
  if (receipts.length !== count) {
    fail('receipts', `are ${receipts.length} for ${count} transactions`)
  }
  block.transactions.forEach((transaction, at) => {
    const place = `transactions[${at}]`
    if (transaction.blockHash !== block.hash) fail(`${place}.blockHash`, 'is of another block')
    if (transaction.blockNumber !== block.number) fail(`${place}.blockNumber`, 'is another number')
    if (transaction.transactionIndex !== at) fail(`${place}.transactionIndex`, `is not ${at}`)
  })
  const hashes = new Set(block.transactions.map(({ hash }) => hash))
  if (hashes.size < count) fail('transactions', 'hold the same hash twice')
  receipts.forEach((receipt, at) => {
    checkReceipt(block, receipt, at)
  })
  checkLogs(block, receipts)
  // Fields of its own: a chain on top of another may count the other's gas as well.
  return { isOfOurRules: !computed.known || computed.surplus.length === 0 }
}

function checkHash(block: RpcBlock, computed: HeaderHash): void {
  // A header with missing or unknown fields cannot be hashed.
  if (!computed.known || computed.hash === block.hash || computed.surplus.length > 0) return
  throw new BlockInconsistent(
    block.number,
    'hash',
    `is ${block.hash}, but its header hashes to ${computed.hash}`,
  )
}

function checkReceipt(block: RpcBlock, receipt: RpcReceipt, at: number): void {
  const place = `receipts[${at}]`
  const fail = (field: string, what: string): never => {
    throw new BlockInconsistent(block.number, `${place}.${field}`, what)
  }
  if (receipt.transactionHash !== block.transactions[at]?.hash) {
    fail('transactionHash', 'is not that of the transaction in its place')
  }
  if (receipt.transactionIndex !== at) fail('transactionIndex', `is not ${at}`)
  if (receipt.blockHash !== block.hash) fail('blockHash', 'is of another block')
  if (receipt.blockNumber !== block.number) fail('blockNumber', 'is another number')
}

function checkLogs(block: RpcBlock, receipts: readonly RpcReceipt[]): void {
  let next = 0
  for (const receipt of receipts) {
    for (const log of receipt.logs) {
      const fail = (field: string, what: string): never => {
        throw new BlockInconsistent(block.number, `logs[${next}].${field}`, what)
      }
      if (log.removed) fail('removed', 'is true: the log belongs to an orphaned block')
      if (log.logIndex !== next) fail('logIndex', `is ${log.logIndex}: a log is missing or twice`)
      if (log.blockHash !== block.hash) fail('blockHash', 'is of another block')
      if (log.transactionHash !== receipt.transactionHash) {
        fail('transactionHash', 'is not that of its receipt')
      }
      if (log.transactionIndex !== receipt.transactionIndex) {
        fail('transactionIndex', 'is not that of its receipt')
      }
      next++
    }
  }
  if (bloomOf(receipts.flatMap((receipt) => receipt.logs)) !== block.logsBloom) {
    throw new BlockInconsistent(block.number, 'logsBloom', 'is not that of its logs')
  }
  checkRoot(block, receipts)
}

function checkRoot(block: RpcBlock, receipts: readonly RpcReceipt[]): void {
  if (block.receiptsRoot == null) return
  const root = receiptsRoot(receipts)
  if (root === null || root === block.receiptsRoot) return
  throw new BlockInconsistent(block.number, 'receiptsRoot', `is not that of its receipts: ${root}`)
}

/** A block that contradicts itself, its receipts or its form. Names the block and the field. */
export class BlockInconsistent extends Error {
  override readonly name = 'BlockInconsistent'
  readonly block: number | string
  readonly field: string

  constructor(block: number | string, field: string, what: string) {
    super(`block ${block}: ${field} ${what}`)
    this.block = block
    this.field = field
  }
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
