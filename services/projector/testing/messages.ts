import { createHash } from 'node:crypto'
import type { Block, Transaction } from '../../../libs/chain/block.ts'
import {
  type Address,
  address,
  type Hash,
  hash,
  hex,
  zeroAddress,
} from '../../../libs/chain/hex.ts'
import { unknownExtras, unknownHeader } from '../../../libs/chain/node-fields.ts'
import { position } from '../../../libs/chain/position.ts'
import {
  type BlockApplied,
  type BlockReverted,
  blocksVersion,
  type GapDeclared,
  type StateObserved,
} from '../../../libs/topics/blocks.ts'

/** Short words for messages of `blocks`: a block is its number, its branch and its senders. */

const chainId = 1

export const hashOf = (text: string): Hash =>
  hash(`0x${createHash('sha256').update(text).digest('hex')}`)

export const person = (number: number): Address => address(`0x${`${number}`.padStart(40, '0')}`)

export interface BlockWords {
  readonly number: number
  readonly hash: Hash
  readonly parentHash: Hash
  readonly senders: readonly number[]
}

export function applied(sequence: number, words: BlockWords): BlockApplied {
  return {
    kind: 'block.applied',
    version: blocksVersion,
    sequence: position(sequence),
    chainId,
    block: block(words),
    tokens: [],
    contracts: [],
  }
}

export function reverted(sequence: number, words: BlockWords): BlockReverted {
  return { ...applied(sequence, words), kind: 'block.reverted' }
}

export function observed(
  sequence: number,
  seen: { block: number; hash: Hash; holders: readonly number[] },
): StateObserved {
  const balances = seen.holders.map((holder) => ({
    token: coin,
    holder: person(holder),
    tokenId: null,
    value: BigInt(sequence),
  }))
  const { block: number, hash: of } = seen
  return {
    kind: 'state.observed',
    version: blocksVersion,
    sequence: position(sequence),
    chainId,
    block: number,
    hash: of,
    balances,
    supplies: [],
    owners: [],
    tokens: [],
  }
}

export function gap(sequence: number, from: number, to: number): GapDeclared {
  const envelope = { version: blocksVersion, sequence: position(sequence), chainId }
  return { kind: 'gap.declared', ...envelope, from, to }
}

function block({ number, hash: own, parentHash, senders }: BlockWords): Block {
  return {
    number,
    hash: own,
    parentHash,
    timestamp: 1_000 + number,
    parentTimestamp: 1_000 + number - 1,
    miner: person(0),
    gasLimit: 30_000_000n,
    gasUsed: 21_000n,
    baseFeePerGas: 7n,
    ...unknownHeader,
    transactions: senders.map((sender, index) => transaction({ own, sender, index })),
  }
}

function transaction(of: Sending): Transaction {
  return {
    hash: hashOf(`${of.own} ${of.index}`),
    index: of.index,
    type: 2,
    from: person(of.sender),
    to: person(of.sender + 1),
    nonce: 1,
    // Some amounts are equal, so that lists sorted by them have groups.
    value: BigInt(of.sender % 3),
    input: '0x',
    gasLimit: 21_000n,
    gasUsed: 21_000n,
    gasPrice: 10n + BigInt(of.index % 2),
    maxFeePerGas: null,
    maxPriorityFeePerGas: null,
    status: 1,
    createdContract: null,
    revertReason: null,
    error: null,
    authorizations: [],
    logs: [fungible(of), collectible(of)].map((log, at) => ({ ...log, index: 2 * of.index + at })),
    calls: null,
    ...unknownExtras,
  }
}

interface Sending {
  readonly own: Hash
  readonly sender: number
  readonly index: number
}

const transferTopic = hash('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
const word = (value: number): Hash => hash(`0x${value.toString(16).padStart(64, '0')}`)
const addressWord = (of: Address): Hash => hash(`0x${of.slice(2).padStart(64, '0')}`)
/** Every third transfer is a mint, so that balances are known and tokens complete or not. */
const ends = ({ sender, index }: Sending): Hash[] => [
  addressWord(index % 3 === 0 ? zeroAddress : person(sender)),
  addressWord(person(sender + 1)),
]

export const coin = person(900)
export const collection = person(901)

const fungible = (of: Sending) => ({
  address: coin,
  topics: [transferTopic, ...ends(of)],
  data: hex(word(of.sender * 100 + of.index)),
})

const collectible = (of: Sending) => ({
  address: collection,
  topics: [transferTopic, ...ends(of), word(of.index)],
  data: hex('0x'),
})
