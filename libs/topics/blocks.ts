import { z } from 'zod'
import type { Block, Observation } from '../chain/block.ts'
import { coinEmittersMax } from '../chain/coin-emitters.ts'
import type { Address } from '../chain/hex.ts'
import { type Position, position } from '../chain/position.ts'
import { standards, type TokenMetadata } from '../chain/token.ts'
import { addressText, amountText, hashText, hexText, integerNumber, second } from './quantities.ts'

/** Calls kept of one transaction; a cheap transaction can make gigabytes of trace. */
export const callsPerTransactionMax = 10_000

/** Keys of tables hold these in 32 bits. */
const place = z.int().nonnegative().max(0xffff_ffff, 'above 2^32-1')
/** The next one must be an integer too. */
const blockNumber = integerNumber.max(Number.MAX_SAFE_INTEGER - 1, 'above 2^53-2')

const log = z.object({
  index: place,
  address: addressText,
  topics: z.array(hashText).max(4),
  data: hexText,
})

const call = z.object({
  type: z.string().max(32),
  from: addressText,
  to: addressText.nullable(),
  value: amountText,
  error: z.string().max(1024).nullable(),
  selector: hexText.nullable(),
})

const authorization = z.object({
  chainId: amountText,
  nonce: amountText,
  delegate: addressText,
  authority: addressText.nullable(),
})

const uint256End = 1n << 256n

const anyTransaction = z.object({
  hash: hashText,
  index: place,
  type: place,
  from: addressText,
  to: addressText.nullable(),
  nonce: integerNumber,
  value: amountText,
  input: hexText,
  gasLimit: amountText,
  gasUsed: amountText,
  gasPrice: amountText,
  maxFeePerGas: amountText.nullable(),
  maxPriorityFeePerGas: amountText.nullable(),
  status: z.union([z.literal(0), z.literal(1), z.null()]),
  createdContract: addressText.nullable(),
  revertReason: hexText.nullable(),
  error: z.string().max(1024).nullable(),
  authorizations: z.array(authorization),
  logs: z.array(log),
  calls: z.array(call).max(callsPerTransactionMax).nullable(),
})

const transaction = anyTransaction.refine(
  ({ gasUsed, gasPrice }) => gasUsed * gasPrice < uint256End,
  'a fee above 2^256-1',
)

const anyBlock = z.object({
  number: blockNumber,
  hash: hashText,
  parentHash: hashText,
  timestamp: second,
  parentTimestamp: second.nullable(),
  miner: addressText,
  gasLimit: amountText,
  gasUsed: amountText,
  baseFeePerGas: amountText.nullable(),
  coinEmitters: z.array(addressText).max(coinEmittersMax).optional(),
  transactions: z.array(transaction),
})

/** Keys of rows depend on these: two of one place would be two rows of one key. */
const block = anyBlock
  .refine(
    ({ transactions }) =>
      isAscending(transactions) && isAscending(transactions.flatMap(({ logs }) => logs)),
    'indexes that do not ascend',
  )
  .refine(
    ({ transactions }) =>
      new Set(transactions.map(({ hash }) => hash)).size === transactions.length,
    'the same hash twice',
  )

const isAscending = (placed: readonly { readonly index: number }[]): boolean =>
  placed.every(({ index }, at) => index > (placed[at - 1]?.index ?? -1))

const tokenMetadata = z.object({
  address: addressText,
  standard: z.enum(standards).nullable(),
  name: z.string().max(1024).nullable(),
  symbol: z.string().max(1024).nullable(),
  decimals: z.int().min(0).max(255).nullable(),
  totalSupply: amountText.nullable(),
  block: integerNumber,
})

const sequence = z
  .int()
  .positive()
  .transform((value): Position => position(value))

const envelope = { sequence, chainId: z.int().positive() }

const applied = z.object({
  ...envelope,
  kind: z.literal('block.applied'),
  block,
  /** Metadata of tokens of this block; attached until their first occurrence is old. */
  tokens: z.array(tokenMetadata),
  /** Addresses that are known to have code, by a node's word or because it ran in this block. */
  contracts: z.array(addressText),
})

/** The head was orphaned. Same payload as the message that applied it. */
const reverted = applied.extend({ kind: z.literal('block.reverted') })

/** What a node returned for the state after `block`; it replaces derived values. */
const observed = z.object({
  ...envelope,
  kind: z.literal('state.observed'),
  block: integerNumber,
  hash: hashText,
  balances: z.array(
    z.object({
      token: addressText,
      holder: addressText,
      /** Null for ERC-20, for a collection's count (ERC-721), for the fungible part (ERC-404). */
      tokenId: amountText.nullable(),
      value: amountText,
    }),
  ),
  supplies: z.array(z.object({ token: addressText, value: amountText })),
  owners: z.array(z.object({ token: addressText, tokenId: amountText, owner: addressText })),
  tokens: z.array(tokenMetadata),
})

/** The source lacks blocks `from` .. `to`: balances derived across them become unknown. */
const gap = z.object({
  ...envelope,
  kind: z.literal('gap.declared'),
  from: blockNumber,
  to: blockNumber,
})

interface Envelope {
  readonly sequence: Position
  readonly chainId: number
}

export interface BlockApplied extends Envelope {
  readonly kind: 'block.applied'
  readonly block: Block
  readonly tokens: readonly TokenMetadata[]
  readonly contracts: readonly Address[]
}

export interface BlockReverted extends Omit<BlockApplied, 'kind'> {
  readonly kind: 'block.reverted'
}

export interface StateObserved extends Envelope, Observation {
  readonly kind: 'state.observed'
}

export interface GapDeclared extends Envelope {
  readonly kind: 'gap.declared'
  readonly from: number
  readonly to: number
}

export type BlocksMessage = BlockApplied | BlockReverted | StateObserved | GapDeclared

/** A message of topic `blocks`. */
export const blocksMessage: z.ZodType<BlocksMessage> = z.discriminatedUnion('kind', [
  applied,
  reverted,
  observed,
  gap,
])
