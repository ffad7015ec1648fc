import { createHash } from 'node:crypto'
import { keccak256 } from 'viem'
import { zeroAddress } from '../../libs/chain/hex.ts'
import { type BlockFile, mainnetBlock } from './mainnet-block.ts'

const zero = zeroAddress
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const word = (digits: string): string => `0x${digits.padStart(64, '0')}`

/** Token whose units the state sync mints, and who gets them. */
export const bridged = '0x2791bca1f2de4661ed88a30c99a7a9449aa84174'
export const depositor = '0x000000000000000000000000000000000000aaaa'
export const minted = 1_000_000n

/**
 * A real block with the transaction that Polygon's client adds: its receipt has logs, none of which
 * are in the header's bloom and roots.
 */
export function stateSyncBlock(number: number): BlockFile {
  const file = mainnetBlock(number)
  const transactions = Array.isArray(file.block.transactions) ? file.block.transactions : []
  const blockHash = String(file.block.hash)
  const place = { blockHash, blockNumber: file.block.number }
  const eight = BigInt(number).toString(16).padStart(16, '0')
  const key = `${Buffer.from('matic-bor-receipt-').toString('hex')}${eight}${blockHash.slice(2)}`
  const hash = keccak256(`0x${key}`)
  const transactionIndex = `0x${transactions.length.toString(16)}`
  const zeros = { value: '0x0', gas: '0x0', gasPrice: '0x0', nonce: '0x0', type: '0x0' }
  const signature = { v: '0x0', r: '0x0', s: '0x0' }
  const added = { ...place, hash, transactionIndex, from: zero, to: zero, input: '0x' }
  const logs = logsOf(file)
  const of = { ...place, transactionHash: hash, transactionIndex, removed: false }
  const topics = [transferTopic, word('0'), word(depositor.slice(2))]
  const data = word(minted.toString(16))
  const log = { ...of, address: bridged, topics, data, logIndex: `0x${logs.toString(16)}` }
  const gas = { gasUsed: '0x0', cumulativeGasUsed: '0x0', effectiveGasPrice: '0x0' }
  const receipt = { ...of, from: zero, to: zero, type: '0x0', status: '0x1', ...gas, logs: [log] }
  return {
    block: { ...file.block, transactions: [...transactions, { ...added, ...zeros, ...signature }] },
    receipts: [...file.receipts, { ...receipt, contractAddress: null }],
  }
}

function logsOf({ receipts }: BlockFile): number {
  return receipts.reduce((sum, { logs }) => sum + (Array.isArray(logs) ? logs.length : 0), 0)
}

/** A hash that proves nothing. */
export const anyHash = (text: string): string =>
  `0x${createHash('sha256').update(text).digest('hex')}`
