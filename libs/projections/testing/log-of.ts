import type { Block, Transaction } from '../../chain/block.ts'
import { type Address, type Hash, type Hex, hash, hex, zeroHash } from '../../chain/hex.ts'
import { unknownExtras, unknownHeader } from '../../chain/node-fields.ts'
import { position } from '../../chain/position.ts'
import type { TokenMetadata } from '../../chain/token.ts'
import { type BlocksMessage, blocksVersion, type Envelope } from '../../topics/blocks.ts'
import {
  alice,
  type BlockFact,
  bob,
  type Described,
  type Fact,
  type ObservedFact,
  type TransactionFact,
} from './facts.ts'

export const testChain = 31337
const secondsPerBlock = 12

const hashOf = (kind: string, number: number): Hash =>
  hash(`0x${Buffer.from(kind).toString('hex')}${number.toString(16).padStart(60, '0')}`)
export const blockHash = (number: number): Hash => (number < 0 ? zeroHash : hashOf('bb', number))

export const transactionHash = (block: number, index: number): Hash =>
  hashOf('cc', block * 1000 + index)

const empty: Hex = hex('0x')
const plain: Transaction = {
  hash: zeroHash,
  index: 0,
  type: 2,
  from: alice,
  to: bob,
  nonce: 0,
  value: 0n,
  input: empty,
  gasLimit: 100_000n,
  gasUsed: 50_000n,
  gasPrice: 7n,
  maxFeePerGas: 9n,
  maxPriorityFeePerGas: 1n,
  status: 1,
  createdContract: null,
  revertReason: null,
  error: null,
  authorizations: [],
  logs: [],
  calls: null,
  ...unknownExtras,
}

function transactionsOf(facts: readonly TransactionFact[], block: number): Transaction[] {
  let logs = 0
  return facts.map((fact, index) => ({
    ...plain,
    hash: transactionHash(block, index),
    index,
    ...fact,
    logs: fact.logs.map((log) => ({ ...log, index: logs++ })),
  }))
}

function blockAt(fact: BlockFact, number: number): Block {
  return {
    number,
    hash: blockHash(number),
    parentHash: blockHash(number - 1),
    timestamp: number * secondsPerBlock,
    parentTimestamp: (number - 1) * secondsPerBlock,
    miner: bob,
    gasLimit: 30_000_000n,
    gasUsed: 50_000n,
    baseFeePerGas: 6n,
    ...unknownHeader,
    transactions: transactionsOf(fact.transactions, number),
    ...(fact.coinEmitters && { coinEmitters: fact.coinEmitters }),
  }
}

const silent = { standard: null, name: null, symbol: null, decimals: null, totalSupply: null }
const metadataAt = (tokens: readonly Described[], block: number): TokenMetadata[] =>
  tokens.map((token) => ({ ...silent, block, ...token }))

interface Head extends Envelope {
  /** Of the last block before it. */
  readonly head: number
}

function observedOf({ head, ...envelope }: Head, fact: ObservedFact): BlocksMessage {
  const block = Math.max(0, head - fact.age)
  const nothing = { balances: [], supplies: [], owners: [] }
  const seen = { ...nothing, ...fact.seen, tokens: metadataAt(fact.tokens, block) }
  return { ...envelope, kind: 'state.observed', block, hash: blockHash(block), ...seen }
}

function messageOf(at: Head, fact: Fact): BlocksMessage {
  const { head, ...envelope } = at
  if (fact.kind === 'observed') return observedOf(at, fact)
  if (fact.kind === 'gap') {
    return { ...envelope, kind: 'gap.declared', from: head + 1, to: head + fact.blocks }
  }
  const tokens = metadataAt(fact.tokens, head + 1)
  const { contracts = [] } = fact
  return { ...envelope, kind: 'block.applied', block: blockAt(fact, head + 1), tokens, contracts }
}

const blocksOf = (fact: Fact): number => {
  if (fact.kind === 'gap') return fact.blocks
  return fact.kind === 'block' ? 1 : 0
}

/** As a node reports it at first sight: no token had code before the first block. */
export function withoutEarlierCode(facts: readonly Fact[]): Fact[] {
  const met = new Set<Address>()
  return facts.map((fact) => {
    if (fact.kind === 'gap') return fact
    const { balances = [], supplies = [], owners = [] } = fact.kind === 'observed' ? fact.seen : {}
    const logs = fact.kind === 'block' ? fact.transactions.flatMap((one) => one.logs) : []
    const named = [...fact.tokens, ...logs].map(({ address }) => address)
    const seen = [...balances, ...supplies, ...owners].map(({ token }) => token)
    const first = [...new Set([...named, ...seen])].filter((token) => !met.has(token))
    for (const token of first) met.add(token)
    const whole = { hasCodeBefore: false }
    const described = fact.tokens.map((token) => ({ ...whole, ...token }))
    const others = first.filter((token) => !described.some(({ address }) => address === token))
    return { ...fact, tokens: [...described, ...others.map((address) => ({ address, ...whole }))] }
  })
}

/** Messages with these facts, from sequence 1; blocks count from `from`. */
export function logOf(facts: readonly Fact[], from = 1): BlocksMessage[] {
  let head = from - 1
  const messages: BlocksMessage[] = []
  for (const fact of facts) {
    const sequence = position(messages.length + 1)
    messages.push(messageOf({ version: blocksVersion, sequence, chainId: testChain, head }, fact))
    head += blocksOf(fact)
  }
  return messages
}
