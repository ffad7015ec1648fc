import type { StateDraft } from './state-draft.ts'

/**
 * What the log covers without a hole. Balances, owners and supplies carry over a block only if
 * the next one follows; where it does not, all that was derived or observed is forgotten.
 */

export function beginBlock(draft: StateDraft, block: number): void {
  const { chain } = draft
  if (chain.firstBlock !== null) return
  chain.firstBlock = block
  // Blocks between an observation and the first block are a gap, too.
  if (chain.observedBefore !== null && chain.observedBefore < block - 1) draft.forget()
}

export function declareGap(draft: StateDraft, end: number): void {
  draft.chain.gapEnd = end
  draft.forget()
}

/** Whether the log contains everything since the end of `block`, so that it may be observed. */
export function isContinuousSince(draft: StateDraft, block: number): boolean {
  const { chain } = draft
  if (chain.firstBlock !== null) {
    return block >= chain.firstBlock - 1 && block >= (chain.gapEnd ?? block)
  }
  if (chain.observedBefore !== null && block < chain.observedBefore) return false
  if (chain.observedBefore !== null && block > chain.observedBefore) draft.forget()
  chain.observedBefore = block
  return true
}

/**
 * Whether the log holds all that ever happened to what was created at `createdAt` (-1: not in the
 * log). A log from the chain's first block on is not enough: a genesis block allocates without one.
 */
export const isCreatedInLog = ({ chain }: StateDraft, createdAt: number): boolean =>
  createdAt >= 0 && createdAt > (chain.gapEnd ?? -1)
