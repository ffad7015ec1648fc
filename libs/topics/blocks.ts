import { z } from 'zod'
import type { Block, Observation } from '../chain/block.ts'
import type { Address } from '../chain/hex.ts'
import { type Position, position } from '../chain/position.ts'
import { standards, type TokenMetadata } from '../chain/token.ts'
import { block, numberOfBlock } from './block-form.ts'
import { addressText, amountText, hashText, integerNumber } from './quantities.ts'

/**
 * Version of the messages that this code publishes.
 *
 * Rule for changes: a field is only ever added, nullable, and read as null from messages before
 * it; none is removed, renamed or given another meaning. So every reader takes every version:
 * an older one ignores what it does not know, a newer one knows less of old blocks. A version is
 * for people and tools; no fold depends on it.
 *
 * 2: the rest of what a node says of a block (header, withdrawals, access list, signature, blobs,
 *    deposits, receipt fields of other chains) and of a call (gas, created contract, place).
 */
export const blocksVersion = 2

const tokenMetadata = z.object({
  address: addressText,
  standard: z.enum(standards).nullable(),
  name: z.string().max(1024).nullable(),
  symbol: z.string().max(1024).nullable(),
  decimals: z.int().min(0).max(255).nullable(),
  totalSupply: amountText.nullable(),
  block: integerNumber,
  hasCodeBefore: z.boolean().nullable().optional(),
})

const sequence = z
  .int()
  .positive()
  .transform((value): Position => position(value))

const envelope = {
  /** Messages from before there were versions have none. */
  version: z.int().positive().default(1),
  sequence,
  chainId: z.int().positive(),
}

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
  from: numberOfBlock,
  to: numberOfBlock,
})

export interface Envelope {
  /** See `blocksVersion`. */
  readonly version: number
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
