import type { Transaction, TransactionLog } from '../../chain/block.ts'
import {
  type Address,
  address,
  type Hash,
  type Hex,
  hash,
  hex,
  zeroAddress,
} from '../../chain/hex.ts'
import type { TokenMetadata } from '../../chain/token.ts'
import type { StateObserved } from '../../topics/blocks.ts'
import { consecutiveTopic } from '../ledger/consecutive-transfers.ts'
import {
  batchTopic,
  depositTopic,
  singleTopic,
  transferTopic,
  withdrawalTopic,
} from '../ledger/transfers.ts'

/** What a test gives: one block, one observation of the state after the last block, or a hole. */
export type Fact = BlockFact | ObservedFact | GapFact

export interface BlockFact {
  readonly kind: 'block'
  readonly transactions: readonly TransactionFact[]
  readonly tokens: readonly Described[]
  /** Addresses that the source knows to have code. */
  readonly contracts?: readonly Address[]
  /** Addresses whose logs are the coin's own; by default the system address. */
  readonly coinEmitters?: readonly Address[]
}
export interface ObservedFact {
  readonly kind: 'observed'
  /** Blocks back from the last one. */
  readonly age: number
  readonly seen: Partial<Pick<StateObserved, 'balances' | 'supplies' | 'owners'>>
  readonly tokens: readonly Described[]
}
export interface GapFact {
  readonly kind: 'gap'
  readonly blocks: number
}

/** Metadata of a token, as of the block that contains it unless another is given. */
export type Described = Partial<TokenMetadata> & Pick<TokenMetadata, 'address'>
export type LogFact = Pick<TransactionLog, 'address' | 'topics' | 'data'>
export type TransactionFact = Partial<Omit<Transaction, 'logs'>> & { readonly logs: LogFact[] }

const digits = (value: bigint | number, count: number): string =>
  value.toString(16).padStart(count, '0')

export const person = (number: number): Address => address(`0x${digits(number, 40)}`)
export const contract = (number: number): Address => address(`0xc0${digits(number, 38)}`)
export const [alice, bob, carol, dave] = [person(0xa), person(0xb), person(0xc), person(0xd)]

export const word = (value: bigint | number): Hash => hash(`0x${digits(value, 64)}`)
export const addressWord = (of: Address): Hash => hash(`0x${of.slice(2).padStart(64, '0')}`)
export const words = (...values: (bigint | number)[]): Hex =>
  hex(`0x${values.map((value) => digits(value, 64)).join('')}`)

export const blockOf = (...transactions: TransactionFact[]): BlockFact => ({
  kind: 'block',
  transactions,
  tokens: [],
})
export const emitted = (...logs: LogFact[]): BlockFact => blockOf({ logs })

/** Several facts in one block, each in a transaction of its own. */
export const together = (...facts: BlockFact[]): BlockFact => ({
  kind: 'block',
  transactions: facts.flatMap((fact) => fact.transactions),
  tokens: facts.flatMap((fact) => fact.tokens),
})
export const describing = (fact: BlockFact, ...tokens: Described[]): BlockFact => ({
  ...fact,
  tokens: [...fact.tokens, ...tokens],
})

/** ERC-20. */
export const transferLog = (token: Address, ends: readonly [Address, Address], value: bigint) => ({
  address: token,
  topics: [transferTopic, addressWord(ends[0]), addressWord(ends[1])],
  data: words(value),
})
export const transferred = (token: Address, ends: readonly [Address, Address], value: bigint) =>
  emitted(transferLog(token, ends, value))
export const minted = (token: Address, to: Address, value: bigint) =>
  transferred(token, [zeroAddress, to], value)
export const burned = (token: Address, from: Address, value: bigint) =>
  transferred(token, [from, zeroAddress], value)

/** Wrapped coin: balances change without a transfer. */
const wrappingLog = (topic: Hash, [token, holder]: readonly [Address, Address], value: bigint) => ({
  address: token,
  topics: [topic, addressWord(holder)],
  data: words(value),
})
export const depositLog = (token: Address, holder: Address, value: bigint) =>
  wrappingLog(depositTopic, [token, holder], value)
export const deposited = (token: Address, holder: Address, value: bigint) =>
  emitted(depositLog(token, holder, value))
export const withdrawn = (token: Address, holder: Address, value: bigint) =>
  emitted(wrappingLog(withdrawalTopic, [token, holder], value))

/** ERC-721. */
export const nftLog = (token: Address, ends: readonly [Address, Address], id: bigint) => ({
  address: token,
  topics: [transferTopic, addressWord(ends[0]), addressWord(ends[1]), word(id)],
  data: words(),
})
export const nftMoved = (token: Address, ends: readonly [Address, Address], id: bigint) =>
  emitted(nftLog(token, ends, id))
export const nftMinted = (token: Address, to: Address, id: bigint) =>
  nftMoved(token, [zeroAddress, to], id)

/** ERC-721, ids in a row. @param ids the first and the last one. */
export const consecutiveLog = (
  token: Address,
  ends: readonly [Address, Address],
  ids: readonly [bigint, bigint],
) => ({
  address: token,
  topics: [consecutiveTopic, word(ids[0]), addressWord(ends[0]), addressWord(ends[1])],
  data: words(ids[1]),
})

type Item = readonly [id: bigint, value: bigint]

const manyTopics = (topic: Hash, ends: readonly [Address, Address]): Hash[] => [
  topic,
  addressWord(ends[0]),
  addressWord(ends[0]),
  addressWord(ends[1]),
]

/** ERC-1155. */
export const singleLog = (token: Address, ends: readonly [Address, Address], item: Item) => ({
  address: token,
  topics: manyTopics(singleTopic, ends),
  data: words(...item),
})
export const moved = (token: Address, ends: readonly [Address, Address], item: Item) =>
  emitted(singleLog(token, ends, item))

const headWords = 2
const wordBytes = 32

export const batchLog = (token: Address, ends: readonly [Address, Address], items: Item[]) => {
  const ids = items.map(([id]) => id)
  const values = items.map(([, value]) => value)
  const second = headWords + 1 + items.length
  const heads = [headWords * wordBytes, second * wordBytes]
  const data = words(...heads, items.length, ...ids, items.length, ...values)
  return { address: token, topics: manyTopics(batchTopic, ends), data }
}
export const batchMoved = (token: Address, ends: readonly [Address, Address], items: Item[]) =>
  emitted(batchLog(token, ends, items))

/** A creation of a contract by a transaction of its own. */
export const created = (createdContract: Address): BlockFact =>
  blockOf({ to: null, createdContract, logs: [] })

export const gap = (blocks: number): GapFact => ({ kind: 'gap', blocks })

export const observed = (
  seen: ObservedFact['seen'],
  { age = 0, tokens = [] }: { age?: number; tokens?: Described[] } = {},
): ObservedFact => ({ kind: 'observed', age, seen, tokens })

/** A node's answer to `balanceOf`; `tokenId` null for ERC-20 and for a collection's count. */
export const balance = (
  token: Address,
  holder: Address,
  [tokenId, value]: [bigint | null, bigint],
) => ({
  balances: [{ token, holder, tokenId, value }],
})
