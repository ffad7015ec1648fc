import type { MinedBlock } from './producer.ts'

/** The two words that a demo chain has to say. */
export interface DemoChainLog {
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface DemoChain {
  readonly url: string
  readonly chainId: number
  /** Of anvil. */
  readonly pid: number
  /** Resolves with one sentence when the chain is gone, or mines no more. */
  readonly exited: Promise<string>
  head(): MinedBlock
  /** Mines a block at once; for tests. */
  mine(): Promise<MinedBlock>
  /** Replaces the newest `depth` blocks by one more than that. @returns the new head. */
  reorganise(depth: number): Promise<MinedBlock>
  stop(): Promise<void>
}

export const demoChainId = 31_337
