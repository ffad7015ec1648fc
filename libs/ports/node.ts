import type { Block } from '../chain/block.ts'
import type { Address, Hash } from '../chain/hex.ts'
import type { Observation } from '../chain/observation.ts'
import type { TokenMetadata } from '../chain/token.ts'

/** Where blocks come from: a JSON-RPC node, a folder of files, or the demo chain. */
export interface ChainSource {
  readonly chainId: number
  /** Number of the newest block that can be asked for. */
  head(): Promise<number>
  /** A whole, checked block, or null if the source does not have that number (any more). */
  block(number: number): Promise<Block | null>
  /** First number at or above `number` that the source holds; null if none. Folders have holes. */
  nextNumber(number: number): Promise<number | null>
  /** What was observed after that block, if the source has it. */
  observed(number: number, hash: Hash): Promise<Observation | null>
  /** What contracts say of themselves, as of a block; one answer for each address asked. */
  tokens(addresses: readonly Address[], block: number): Promise<readonly TokenMetadata[]>
  /** Resolves when there may be a block above `number`, or when the signal aborts. */
  waitAbove(number: number, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}
