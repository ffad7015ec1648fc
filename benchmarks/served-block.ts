import { bloomOf } from '../libs/adapters/rpc/blocks/receipts-root.ts'
import type { Transaction } from '../libs/chain/block.ts'
import type { BlockApplied } from '../libs/topics/blocks.ts'
import { placeOf } from './generated-chain.ts'

/** Texts of JSON, so that they are made once. */
export interface ServedBlock {
  readonly block: string
  readonly receipts: string
  /** All logs of the block in one array. */
  readonly logs: string
}

export const quantity = (value: number | bigint) => `0x${value.toString(16)}`
const quantityOrNull = (value: bigint | null) => (value === null ? undefined : quantity(value))

/** Of any block, also of one that is not made yet. */
export function headOf(number: number) {
  const { hash, parentHash, timestamp } = placeOf(number)
  return { number: quantity(number), hash, parentHash, timestamp: quantity(timestamp) }
}

/** Fields that only its hash would need are left out: nobody can recompute it then. */
export function servedBlockOf({ block }: BlockApplied): ServedBlock {
  const place = { blockHash: block.hash, blockNumber: quantity(block.number) }
  const transactions = block.transactions.map((transaction) => ({
    ...place,
    ...saidOf(transaction),
  }))
  const receipts = block.transactions.map(({ hash, index, gasUsed, gasPrice, type, ...made }) => {
    const of = { ...place, transactionHash: hash, transactionIndex: quantity(index) }
    const price = { gasUsed: quantity(gasUsed), effectiveGasPrice: quantityOrNull(gasPrice) }
    const logs = made.logs.map(({ index: at, ...log }) => ({
      ...log,
      ...of,
      logIndex: quantity(at),
    }))
    const contractAddress = made.createdContract
    return { ...of, type: quantity(type), status: '0x1', ...price, contractAddress, logs }
  })
  const head = {
    ...headOf(block.number),
    miner: block.miner,
    gasLimit: quantity(block.gasLimit),
    gasUsed: quantity(block.gasUsed),
    logsBloom: bloomOf(block.transactions.flatMap(({ logs }) => logs)),
    baseFeePerGas: quantityOrNull(block.baseFeePerGas),
  }
  return {
    block: JSON.stringify({ ...head, transactions }),
    receipts: JSON.stringify(receipts),
    logs: JSON.stringify(receipts.flatMap(({ logs }) => logs)),
  }
}

const saidOf = (transaction: Transaction) => ({
  hash: transaction.hash,
  transactionIndex: quantity(transaction.index),
  type: quantity(transaction.type),
  from: transaction.from,
  to: transaction.to,
  nonce: quantity(transaction.nonce),
  value: quantity(transaction.value),
  input: transaction.input,
  gas: quantity(transaction.gasLimit),
  gasPrice: quantityOrNull(transaction.gasPrice),
  maxFeePerGas: quantityOrNull(transaction.maxFeePerGas),
  maxPriorityFeePerGas: quantityOrNull(transaction.maxPriorityFeePerGas),
})
