import type { Block } from '../../libs/chain/block.ts'
import type { Observation } from '../../libs/chain/observation.ts'
import type { ChainSource } from '../../libs/ports/node.ts'
import type { Draft } from './draft.ts'
import type { IngestorLimits } from './ingestor-limits.ts'
import type { LogMemory } from './log-memory.ts'
import { metadataToAttach } from './tokens-met.ts'

export interface DraftParts {
  readonly source: ChainSource
  readonly memory: LogMemory
  readonly limits: IngestorLimits
}

/**
 * Blocks in a row with all that belongs to them: metadata of their tokens, what was observed
 * after each, and, before the first block of a log, what was observed before it.
 */
export async function draftBlocks(
  draft: Draft,
  blocks: readonly Block[],
  { source, memory, limits }: DraftParts,
): Promise<void> {
  const [first] = blocks
  if (first && memory.accepted.next === null && first.number > 0) {
    draftObservation(draft, await source.observed(first.number - 1, first.parentHash))
  }
  const attached = await metadataToAttach(blocks, {
    sightOf: (token) => memory.sights.of(token),
    ask: (tokens, block) => source.tokens(tokens, block),
    firstSightDepthMax: limits.firstSightDepthMax,
  })
  for (const [at, block] of blocks.entries()) {
    const tokens = attached[at] ?? []
    draft.add((envelope) => ({ ...envelope, kind: 'block.applied', block, tokens }))
    draftObservation(draft, await source.observed(block.number, block.hash))
  }
}

function draftObservation(draft: Draft, observation: Observation | null): void {
  if (observation)
    draft.add((envelope) => ({ ...envelope, kind: 'state.observed', ...observation }))
}
