import type { Block, Observation } from '../chain/block.ts'
import type { Address, Hash } from '../chain/hex.ts'
import type { TokenMetadata } from '../chain/token.ts'
import type { TokenUris } from './token-uris.ts'

/** Where blocks come from: a JSON-RPC node, a folder of files, or the demo chain. */
export interface ChainSource {
  readonly chainId: number
  /** True if no block will ever follow `head()`: a folder, not a node. */
  readonly endsAtHead: boolean
  /** Whether state can be queried at all; see `observe`. */
  readonly hasState: boolean
  /** Absent where no contract can be called. */
  readonly tokenUris?: TokenUris
  /** Number of the newest available block. */
  head(): Promise<number>
  /** A complete, validated block, or null if the source does not have it (any more). */
  block(number: number): Promise<SourceBlock | null>
  /** Hash of the canonical block at that number, or null: cheap, used to find forks. */
  hash(number: number): Promise<Hash | null>
  /** First available number at or above `number`; null if none. Folders may have gaps. */
  nextNumber(number: number): Promise<number | null>
  /** Recorded observation of the state after that block, if the source has one. */
  observed(number: number, hash: Hash): Promise<Observation | null>
  /**
   * Metadata that contracts return, as of a block (or a later one whose state the node still has:
   * see `block` of the result). A misbehaving contract never causes an exception.
   * @throws SourceError if the source itself fails
   */
  tokens(addresses: readonly Address[], block: number): Promise<TokensResult>
  /**
   * Kind of code at addresses as of a block (or the newest, if the node has pruned that state);
   * addresses without a result are omitted.
   * @param options `isExact`: only as of that block, else without a result
   */
  codes(
    addresses: readonly Address[],
    block: number,
    options?: { readonly isExact: boolean },
  ): Promise<ReadonlyMap<Address, Code>>
  /**
   * Balances, owners and supplies after the block of that hash, as returned by the contracts. Null
   * if the source does not have the state of that block.
   * @param urgency a question in the background takes no turns of those that a block waits for
   * @throws SourceError if the source itself fails
   */
  observe(question: StateRequest, urgency?: 'background'): Promise<StateResult | null>
  /** Resolves when the head may have moved above `number` or to a fork, or on abort. */
  waitAbove(number: number, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** A block, and the addresses that it proves to be contracts. */
export interface SourceBlock extends Block {
  /** Recipients whose code ran: their calls used more gas than a call without code can. */
  readonly contracts: readonly Address[]
}

/** Code of its own, a delegation to another's (EIP-7702), or none (any more). */
export type Code = 'own' | 'delegated' | 'none'

/**
 * One value of a token's state: the balance of a holder (of an id, if there is one), the owner of
 * an id (no holder), or the supply (neither).
 */
export interface StateRef {
  readonly token: Address
  readonly holder: Address | null
  readonly tokenId: bigint | null
}

/** Values to query in the state after a block, each once. */
export interface StateRequest {
  readonly block: number
  readonly hash: Hash
  readonly values: readonly StateRef[]
}

/** A contract that is in none of the lists returned no metadata. */
export interface TokensResult {
  readonly metadata: readonly TokenMetadata[]
  /** Calls failed although the source is healthy; some returned part of their metadata. */
  readonly failed: readonly Address[]
  /** Not completed within the time limit. */
  readonly cutOff: readonly Address[]
}

/** A value in neither list was rejected by its contract, or malformed. */
export interface StateResult {
  readonly observation: Observation
  /** No response: to be queried again. */
  readonly unanswered: readonly StateRef[]
  /** Tokens among them whose calls fail although the source is healthy. */
  readonly failed: readonly Address[]
}

/** No response from the source, or an incomplete or inconsistent one: retry later. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  readonly kind: SourceErrorKind
  /**
   * What the answers about a block contradict, its hash among it: equal where the same answers come
   * again. Null for all other failures.
   */
  readonly contradiction: string | null

  constructor(kind: SourceErrorKind, sentence: string, contradiction: string | null = null) {
    super(sentence)
    this.kind = kind
    this.contradiction = contradiction
  }
}

/** A block that cannot be accepted, however often it is read: permanent, and no defect of ours. */
export class BlockRefused extends Error {
  override readonly name = 'BlockRefused'
}

/** Stable values of metric labels and log fields. */
export const sourceErrorKinds = [
  'unreachable',
  'timed-out',
  'rate-limited',
  'unavailable',
  'refused',
  'half-answer',
  'wrong-answer',
] as const
export type SourceErrorKind = (typeof sourceErrorKinds)[number]
