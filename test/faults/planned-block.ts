import { createHash } from 'node:crypto'
import { bloomOf } from '../../libs/adapters/rpc/blocks/receipts-root.ts'
import { type Hash, type Hex, hash } from '../../libs/chain/hex.ts'
import { type Holdings, nothingHeld, type Traffic } from './planned-traffic.ts'

/** A block as a node returns it, and how our API names it. */
export interface PlannedBlock {
  readonly number: number
  readonly hash: Hash
  readonly parentHash: Hash
  /** Seconds; no two blocks of one number share it. */
  readonly timestamp: number
  readonly json: object
  readonly receipts: readonly object[]
  /** By coin and holder, after it. */
  readonly balances: Holdings['balances']
}

export interface Place {
  readonly parent: Pick<PlannedBlock, 'number' | 'hash'> | undefined
  /** Blocks of one number differ by it. */
  readonly salt: number
  readonly held?: Holdings
}

const first = 1_700_000_000
/** Between blocks of neighbouring numbers, whatever their salts. */
const intervalSeconds = 1_000

const zeros = hash(`0x${'0'.repeat(64)}`)
const hashOf = (text: string): Hash => hash(`0x${createHash('sha256').update(text).digest('hex')}`)
export const quantity = (value: number | bigint): Hex => `0x${value.toString(16)}`

/** Fields that only its hash would need are left out: nobody can recompute it then. */
export function plannedBlock(
  { parent, salt, held = nothingHeld }: Place,
  traffic: readonly Traffic[],
): PlannedBlock {
  const number = parent === undefined ? 0 : parent.number + 1
  const own = hashOf(`block ${number} of ${salt}`)
  const parentHash = parent?.hash ?? zeros
  const timestamp = first + number * intervalSeconds + (salt % intervalSeconds)
  const place = { blockHash: own, blockNumber: quantity(number) }
  const transactions = traffic.map(({ from, to, value, input }, at) => ({
    ...place,
    hash: hashOf(`transaction ${at} of ${own}`),
    transactionIndex: quantity(at),
    type: '0x0',
    from,
    to,
    nonce: quantity(number),
    value: quantity(value),
    input,
    gas: '0x186a0',
    gasPrice: quantity(1_000_000_000 + at),
  }))
  let nextLog = 0
  const receipts = traffic.map(({ logs }, at) => {
    const [transactionHash, transactionIndex] = [transactions[at]?.hash, quantity(at)]
    const of = { ...place, transactionHash, transactionIndex }
    const price = { gasUsed: '0xc350', effectiveGasPrice: quantity(1_000_000_000 + at) }
    const json = logs.map((log) => ({ ...log, ...of, logIndex: quantity(nextLog++) }))
    return { ...of, type: '0x0', status: '0x1', ...price, logs: json }
  })
  const json = {
    number: quantity(number),
    hash: own,
    parentHash,
    timestamp: quantity(timestamp),
    miner: `0x${'0'.repeat(39)}1`,
    gasLimit: '0x1c9c380',
    gasUsed: quantity(50_000 * traffic.length),
    logsBloom: bloomOf(traffic.flatMap(({ logs }) => logs)),
    baseFeePerGas: '0x7',
    transactions,
  }
  return { number, hash: own, parentHash, timestamp, json, receipts, balances: held.balances }
}
