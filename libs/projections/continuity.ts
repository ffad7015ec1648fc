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
 * Whether the log holds all that ever happened to what came to be at `createdAt` (-1: unknown).
 * What is observed before any block is the state that the first one follows: if it does not, all
 * of it is forgotten.
 */
export function hasFullHistorySince({ chain }: StateDraft, createdAt: number): boolean {
  const { firstBlock, observedBefore, gapEnd } = chain
  if (gapEnd !== null) return createdAt > gapEnd
  if (createdAt >= 0) return true
  const first = firstBlock ?? (observedBefore === null ? null : observedBefore + 1)
  return first !== null && first <= 1
}
