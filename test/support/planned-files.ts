import { type PlannedBlock, plannedBlock } from '../faults/planned-block.ts'
import type { Traffic } from '../faults/planned-traffic.ts'
import type { BlockFile } from './mainnet-block.ts'

/** A chain of small blocks, one for each list of transactions. */
export function plannedChain(traffic: readonly (readonly Traffic[])[]): readonly PlannedBlock[] {
  const blocks: PlannedBlock[] = []
  for (const each of traffic) {
    blocks.push(plannedBlock({ parent: blocks.at(-1), salt: 1 }, each))
  }
  return blocks
}

/** As a node of values holds them; their hashes cannot be recomputed, so they may be spoilt. */
export const plannedFiles = (blocks: readonly PlannedBlock[]): readonly [number, BlockFile][] =>
  blocks.map(({ number, json, receipts }) => [
    number,
    { block: { ...json }, receipts: receipts.map((it) => ({ ...it })) },
  ])
