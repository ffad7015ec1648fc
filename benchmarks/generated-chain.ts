import { createHash } from 'node:crypto'
import type { Transaction, TransactionLog } from '../libs/chain/block.ts'
import {
  type Address,
  address,
  type Hash,
  type Hex,
  hash,
  hex,
  zeroAddress,
} from '../libs/chain/hex.ts'
import { unknownExtras, unknownHeader } from '../libs/chain/node-fields.ts'
import { position } from '../libs/chain/position.ts'
import type { TokenMetadata } from '../libs/chain/token.ts'
import { type BlockApplied, blocksVersion } from '../libs/topics/blocks.ts'
import { type SeededRandom, seededRandom } from './seeded-random.ts'

export const generatedChainId = 31_337

/** What a generated chain looks like; the same shape gives the same bytes. */
export interface ChainShape {
  readonly seed: number
  readonly transfers: number
  readonly transfersPerBlock: number
  readonly tokens: number
  readonly accounts: number
}

const transferTopic = hash('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
const singleTopic = hash('0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62')
const batchTopic = hash('0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb')

const digest = (text: string): Hash => hash(`0x${createHash('sha256').update(text).digest('hex')}`)
const named = (text: string): Address => address(digest(text).slice(0, 42))
const word = (value: bigint): string => value.toString(16).padStart(64, '0')
export const topicOf = (account: Address): Hash => hash(`0x${account.slice(2).padStart(64, '0')}`)

/** Of 20 tokens 16 are ERC-20, two ERC-721, two ERC-1155, as in a day of mainnet. */
type Kind = 'fungible' | 'collection' | 'multi'
const kindOf = (token: number): Kind => {
  const place = token % 20
  if (place < 16) return 'fungible'
  return place < 18 ? 'collection' : 'multi'
}

/** Sends no transfers: what it sends are the transactions that create the tokens. */
const deployer = named('deployer')

/** Mutable on purpose: who holds what, so that the chain never spends what is not there. */
interface World {
  readonly random: SeededRandom
  readonly tokens: readonly Address[]
  /** Number of each token. */
  readonly places: ReadonlyMap<Address, number>
  readonly accounts: readonly Address[]
  readonly created: Set<Address>
  readonly fungible: Map<string, bigint>
  readonly owners: Map<string, Address>
  nextId: number
}

interface Made {
  readonly log: Omit<TransactionLog, 'index'>
  readonly transfers: number
}

const data = (words: readonly bigint[]): Hex => hex(`0x${words.map(word).join('')}`)
const pick = <T>(from: readonly T[], at: number): T => {
  const value = from[at]
  if (value === undefined) throw new RangeError(`no element ${at} of ${from.length}`)
  return value
}

function fungibleLog(world: World, token: Address): Made {
  const from = pick(world.accounts, world.random.skewed(world.accounts.length))
  const to = pick(world.accounts, world.random.skewed(world.accounts.length))
  const held = world.fungible.get(token + from) ?? 0n
  const mints = held < 2n
  const value = mints
    ? 10n ** 21n + BigInt(world.random.below(1e9))
    : held / BigInt(2 + world.random.below(8))
  if (!mints) world.fungible.set(token + from, held - value)
  world.fungible.set(token + to, (world.fungible.get(token + to) ?? 0n) + value)
  const topics = [transferTopic, topicOf(mints ? zeroAddress : from), topicOf(to)]
  return { log: { address: token, topics, data: data([value]) }, transfers: 1 }
}

function collectionLog(world: World, token: Address): Made {
  const to = pick(world.accounts, world.random.skewed(world.accounts.length))
  const old = BigInt(world.random.below(Math.max(1, world.nextId)))
  const owner = world.owners.get(`${token}${old}`)
  const id = owner ? old : BigInt(world.nextId++)
  world.owners.set(`${token}${id}`, to)
  const topics = [transferTopic, topicOf(owner ?? zeroAddress), topicOf(to), hash(`0x${word(id)}`)]
  return { log: { address: token, topics, data: '0x' }, transfers: 1 }
}

function multiLog(world: World, token: Address): Made {
  const operator = pick(world.accounts, world.random.skewed(world.accounts.length))
  const to = pick(world.accounts, world.random.skewed(world.accounts.length))
  const topics = [topicOf(operator), topicOf(zeroAddress), topicOf(to)]
  const id = BigInt(world.random.skewed(5_000))
  if (world.random.below(4) > 0) {
    const log = { address: token, topics: [singleTopic, ...topics], data: data([id, 3n]) }
    return { log, transfers: 1 }
  }
  const body = data([64n, 192n, 3n, id, id + 1n, id + 2n, 3n, 1n, 2n, 5n])
  return { log: { address: token, topics: [batchTopic, ...topics], data: body }, transfers: 3 }
}

const makers = { fungible: fungibleLog, collection: collectionLog, multi: multiLog }

function generatedLog(world: World): Made {
  const at = world.random.skewed(world.tokens.length)
  return makers[kindOf(at)](world, pick(world.tokens, at))
}

interface Place {
  readonly block: number
  readonly index: number
}

/** What most transactions say, and no figure depends on. */
export const unremarkable = {
  type: 2,
  value: 0n,
  maxFeePerGas: 40_000_000_000n,
  maxPriorityFeePerGas: 1_000_000_000n,
  status: 1,
  createdContract: null,
  revertReason: null,
  error: null,
  authorizations: [],
  calls: null,
  ...unknownExtras,
} as const

const transactionOf = (
  world: World,
  { block, index }: Place,
  logs: readonly TransactionLog[],
): Transaction => ({
  ...unremarkable,
  hash: transactionAt(block, index),
  index,
  from: pick(world.accounts, world.random.skewed(world.accounts.length)),
  to: logs[0]?.address ?? zeroAddress,
  nonce: block,
  input: hex(`0xa9059cbb${word(BigInt(block))}${word(BigInt(index))}`),
  gasLimit: 120_000n,
  gasUsed: 60_000n + BigInt(world.random.below(60_000)),
  gasPrice: 20_000_000_000n + BigInt(world.random.below(1e9)),
  logs,
})

/** Without it in the log nobody knows that the transfers of a token explain its balances. */
const creationOf = (token: Address, nonce: number, { block, index }: Place): Transaction => ({
  ...unremarkable,
  hash: transactionAt(block, index),
  index,
  from: deployer,
  to: null,
  createdContract: token,
  nonce,
  input: '0x6000',
  gasLimit: 1_000_000n,
  gasUsed: 900_000n,
  gasPrice: 20_000_000_000n,
  logs: [],
})

const standards = { fungible: null, collection: 'ERC-721', multi: 'ERC-1155' } as const

/** As a node returns it when the first transfer is seen. */
function metadataOf(world: World, token: Address, block: number): TokenMetadata {
  const at = world.places.get(token) ?? 0
  const standard = standards[kindOf(at)]
  const decimals = standard === null ? 18 : null
  const [name, symbol] = [`Token ${at}`, `T${at}`]
  return { address: token, standard, name, symbol, decimals, totalSupply: null, block }
}

function transactionsOf(world: World, block: number, transfersMax: number) {
  const transactions: Transaction[] = []
  const tokens: TokenMetadata[] = []
  let transfers = 0
  let logIndex = 0
  while (transfers < transfersMax) {
    const logs: TransactionLog[] = []
    for (let left = 1 + world.random.below(3); left > 0; left--) {
      const made = generatedLog(world)
      logs.push({ ...made.log, index: logIndex++ })
      transfers += made.transfers
    }
    for (const { address: token } of logs) {
      if (world.created.has(token)) continue
      const place = { block, index: transactions.length }
      transactions.push(creationOf(token, world.created.size, place))
      tokens.push(metadataOf(world, token, block))
      world.created.add(token)
    }
    transactions.push(transactionOf(world, { block, index: transactions.length }, logs))
  }
  return { transactions, tokens, transfers }
}

/** Tokens of a chain that has so many. */
export const tokensOf = (count: number): readonly Address[] =>
  Array.from({ length: count }, (_, at) => named(`token ${at}`))

export const accountAt = (at: number): Address => named(`account ${at}`)

/** Accounts of a chain that has so many; the first are those that move most. */
export const accountsOf = (count: number): readonly Address[] =>
  Array.from({ length: count }, (_, at) => accountAt(at))

/** Hash of a transaction by its place, if the block has so many. */
export const transactionAt = (block: number, index: number): Hash =>
  digest(`transaction ${block} ${index}`)

/** What is known of a block before it is made. */
export const placeOf = (number: number) => ({
  number,
  hash: digest(`block ${number}`),
  parentHash: digest(`block ${number - 1}`),
  timestamp: timeOf(number),
  parentTimestamp: timeOf(number - 1),
})

/** The message of a block; each block has one, from position 1 on. */
export const appliedBlock = (
  number: number,
  {
    transactions,
    tokens,
  }: Pick<BlockApplied, 'tokens'> & Pick<BlockApplied['block'], 'transactions'>,
): BlockApplied => ({
  kind: 'block.applied',
  version: blocksVersion,
  sequence: position(number),
  chainId: generatedChainId,
  tokens,
  contracts: [],
  block: {
    ...placeOf(number),
    miner: named('miner'),
    gasLimit: 30_000_000n,
    gasUsed: 20_000_000n,
    baseFeePerGas: 19_000_000_000n,
    ...unknownHeader,
    transactions,
  },
})

/** A second, as between blocks of `read-mixed`: token stats are throttled by chain time. */
const timeOf = (number: number) => 1_700_000_000 + number

/**
 * Blocks 1, 2, 3 ... with about `transfersPerBlock` token transfers each, addresses and tokens
 * skewed as on a real chain. Each token is created before its first transfer, with which its
 * metadata comes, and every balance stays at or above zero.
 */
export function* generatedChain(shape: ChainShape): Generator<BlockApplied> {
  const tokens = tokensOf(shape.tokens)
  const world: World = {
    random: seededRandom(shape.seed),
    tokens,
    places: new Map(tokens.map((token, at) => [token, at])),
    accounts: accountsOf(shape.accounts),
    created: new Set(),
    fungible: new Map(),
    owners: new Map(),
    nextId: 1,
  }
  let transfers = 0
  for (let number = 1; transfers < shape.transfers; number++) {
    const made = transactionsOf(world, number, shape.transfersPerBlock)
    transfers += made.transfers
    yield appliedBlock(number, made)
  }
}
