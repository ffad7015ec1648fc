import type { Draft } from './draft.ts'

/**
 * What the log covers without a hole. Balances, owners and supplies carry over a block only if
 * the next one follows; where it does not, all that was derived or observed is forgotten.
 */

/** Changes are missing: nothing that was known is known any more. Walks the whole state. */
export function forgetAll(draft: Draft): void {
  draft.tokens.editAll('', (token) => {
    token.isComplete = false
    token.supply = null
  })
  draft.instances.editAll('', (instance) => {
    instance.isComplete = false
    instance.owner = null
  })
  draft.pairs.editAll('', (pair) => {
    pair.isKnown = false
    pair.value = 0n
    pair.owned = 0
  })
}

export function beginBlock(draft: Draft, block: number): void {
  const { chain } = draft
  if (chain.firstBlock !== null) return
  chain.firstBlock = block
  // Blocks between what was observed and the first one are a hole as well.
  if (chain.observedBefore === null) return
  if (chain.observedBefore < block - 1) forgetAll(draft)
  else if (block <= 1) beWhole(draft)
}

/** What was observed of a chain before its first block: all of its history is still to come. */
function beWhole(draft: Draft): void {
  draft.tokens.editAll('', (token) => {
    token.isComplete = true
  })
  draft.instances.editAll('', (instance) => {
    instance.isComplete = true
  })
}

export function declareGap(draft: Draft, end: number): void {
  draft.chain.gapEnd = end
  forgetAll(draft)
}

/** Whether everything since the end of `block` stands in the log, so that it may be observed. */
export function reachesBack(draft: Draft, block: number): boolean {
  const { chain } = draft
  if (chain.firstBlock !== null) {
    return block >= chain.firstBlock - 1 && block >= (chain.gapEnd ?? block)
  }
  if (chain.observedBefore !== null && block < chain.observedBefore) return false
  if (chain.observedBefore !== null && block > chain.observedBefore) forgetAll(draft)
  chain.observedBefore = block
  return true
}

/** Whether the log holds all that ever happened to what came to be at `createdAt` (-1: unknown). */
export function holdsAllSince(draft: Draft, createdAt: number): boolean {
  const { firstBlock, gapEnd } = draft.chain
  if (gapEnd !== null) return createdAt > gapEnd
  return createdAt >= 0 || (firstBlock !== null && firstBlock <= 1)
}
