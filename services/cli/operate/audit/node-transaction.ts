import type { NodeBlock } from '../../../../libs/adapters/rpc/node-reader.ts'
import type { Address, Hash } from '../../../../libs/chain/hex.ts'

type NodeReceipt = NodeBlock['receipts'][number]

/** A transaction as the node returned it, with its block and receipt. */
export interface NodeTransaction {
  readonly block: NodeBlock['block']
  readonly transaction: NodeBlock['block']['transactions'][number]
  readonly receipt: NodeReceipt
}

export const transactionsIn = ({ block, receipts }: NodeBlock): readonly NodeTransaction[] =>
  block.transactions.flatMap((transaction, at) => {
    const receipt = receipts[at]
    return receipt === undefined ? [] : [{ block, transaction, receipt }]
  })

/** The contract that it created; null if it failed (decision 41). */
export const contractCreatedBy = ({ transaction, receipt }: NodeTransaction): Address | null =>
  transaction.to == null && receipt.status !== 0 ? (receipt.contractAddress ?? null) : null

export type Told = ReadonlyMap<string, string | null>

/** Fields of endpoint 2 by what the node says, as texts; null where it shows null. */
export function listedFields(told: NodeTransaction): Told {
  const { block, transaction, receipt } = told
  return new Map([
    ...ownFields(told),
    ['timestamp', `${block.timestamp}`],
    ['block_number', `${block.number}`],
    ['position', `${transaction.transactionIndex}`],
    ['nonce', `${transaction.nonce}`],
    ['created_contract', contractCreatedBy(told)],
    ['gas_limit', `${least(transaction.gas, BigInt(Number.MAX_SAFE_INTEGER))}`],
    ['gas_used', `${receipt.gasUsed}`],
    ['gas_price', textOf(priceOf(told))],
    ['max_fee_per_gas', textOf(transaction.maxFeePerGas)],
    ['max_priority_fee_per_gas', textOf(transaction.maxPriorityFeePerGas)],
    ['base_fee_per_gas', textOf(block.baseFeePerGas)],
    ['fee', textOf(feeOf(told))],
  ])
}

/** Those that a summary has, too. */
export const ownFields = ({ transaction, receipt }: NodeTransaction): Told =>
  new Map([
    ['hash', transaction.hash],
    ['from', transaction.from],
    ['to', transaction.to ?? null],
    ['type', `${transaction.type ?? 0}`],
    ['value', `${transaction.value}`],
    ['raw_input', transaction.input],
    ['status', statusOf(receipt)],
  ])

const statusOf = ({ status }: NodeReceipt): string | null =>
  status == null ? null : status === 1 ? 'ok' : 'error'

const priceOf = ({ transaction, receipt }: NodeTransaction): bigint | null =>
  receipt.effectiveGasPrice ?? transaction.gasPrice ?? null

/** Only of gas: null where a rollup charges more, which each does in its own way. */
function feeOf(told: NodeTransaction): bigint | null {
  const price = priceOf(told)
  const isRollup = ['l1Fee', 'operatorFeeScalar'].some((name) => told.receipt[name] != null)
  return price === null || isRollup ? null : told.receipt.gasUsed * price
}

const textOf = (amount: bigint | null | undefined): string | null => amount?.toString() ?? null
const least = (one: bigint, other: bigint): bigint => (one < other ? one : other)

/** A log as the node returned it. */
export interface NodeLog {
  readonly address: Address
  readonly index: number
  readonly transactionHash: Hash
  readonly topics: readonly Hash[]
  readonly data: `0x${string}`
}

export const logsOf = ({ receipt }: Pick<NodeTransaction, 'receipt'>): readonly NodeLog[] =>
  receipt.logs.map(({ logIndex, ...log }) => ({ ...log, index: logIndex }))
