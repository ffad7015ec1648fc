import type { Block } from '../chain/block.ts'
import type { Address, Hash } from '../chain/hex.ts'
import type { Observation } from '../chain/observation.ts'
import type { TokenMetadata } from '../chain/token.ts'

/** Where blocks come from: a JSON-RPC node, a folder of files, or the demo chain. */
export interface ChainSource {
  readonly chainId: number
  /** True if nothing will ever come after `head()`: a folder, as against a living node. */
  readonly endsAtHead: boolean
  /** Whether it can be asked of the state at all; see `observe`. */
  readonly hasState: boolean
  /** Number of the newest block that can be asked for. */
  head(): Promise<number>
  /** A whole, checked block, or null if the source does not have that number (any more). */
  block(number: number): Promise<SourceBlock | null>
  /** Hash of the block that has that number now, or null if none: cheap, for finding forks. */
  hash(number: number): Promise<Hash | null>
  /** First number at or above `number` that the source holds; null if none. Folders have holes. */
  nextNumber(number: number): Promise<number | null>
  /** What was observed after that block, if the source has it. */
  observed(number: number, hash: Hash): Promise<Observation | null>
  /**
   * What contracts say of themselves, as of a block (or a later one whose state the node still
   * has: `block` of the answer says which). What a contract does, however bad, ends in an answer.
   * @throws SourceError if the source itself is in trouble
   */
  tokens(addresses: readonly Address[], block: number): Promise<TokensResult>
  /**
   * What stands at addresses as of a block (or the newest, if the node has lost that state);
   * addresses of which the source cannot tell are left out.
   */
  codes(addresses: readonly Address[], block: number): Promise<ReadonlyMap<Address, Code>>
  /**
   * Balances and supplies after the block of that hash, as the contracts say. Null if the source
   * cannot tell for that block.
   * @throws SourceError if the source itself is in trouble
   */
  observe(question: StateRequest): Promise<StateResult | null>
  /** Resolves when the head may have moved above `number` or to a fork, or on abort. */
  waitAbove(number: number, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** A block with what it proves of addresses. */
export interface SourceBlock extends Block {
  /** Where code ran: calls to these burned more gas than a call to no code can. */
  readonly contracts: readonly Address[]
}

/** Code of its own, a delegation to another's (EIP-7702), or none (any more). */
export type Code = 'own' | 'delegated' | 'none'

/** What is asked of the state after a block. */
export interface StateRequest {
  readonly block: number
  readonly hash: Hash
  readonly balances: readonly { token: Address; holder: Address }[]
  readonly supplies: readonly Address[]
}

/** A contract that is in none of the lists has said nothing of itself. */
export interface TokensResult {
  readonly metadata: readonly TokenMetadata[]
  /** Did not answer all, though the source is well; some of them have said a part. */
  readonly failed: readonly Address[]
  /** There was no time for them. */
  readonly cutOff: readonly Address[]
}

/** A balance or supply that is in neither list was refused by its contract, or not said well. */
export interface StateResult {
  readonly observation: Observation
  /** Without an answer, so worth another question; `holder` is null for the supply. */
  readonly unanswered: readonly { token: Address; holder: Address | null }[]
  /** Tokens among them that do not answer though the source is well. */
  readonly failed: readonly Address[]
}

/** The source did not answer, or not wholly, or against itself: worth another try later. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  readonly kind: SourceErrorKind

  constructor(kind: SourceErrorKind, sentence: string) {
    super(sentence)
    this.kind = kind
  }
}

/** Stable words: metric labels and log fields. */
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
