import type { Random } from '../queries/random.ts'
import { type PlannedBlock, plannedBlock } from './planned-block.ts'
import { type Holdings, nothingHeld, trafficAfter } from './planned-traffic.ts'

/** A chain that leaves its newest `depth` blocks for these. */
export interface Step {
  readonly depth: number
  readonly blocks: readonly PlannedBlock[]
}

const firstBlocks = 72
const grownMax = 3
/** Most reorganisations are shallow; the deepest go through the whole first step. */
const depths = [0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 5, 8, 12, 33, 64]

/** The same seed, the same chain, however fast it is served: where it ends is the same for all. */
export function chainPlan(random: Random, stepsCount: number): readonly Step[] {
  const chain: { block: PlannedBlock; held: Holdings }[] = []
  return Array.from({ length: stepsCount }, (_, salt): Step => {
    const depth = salt === 0 ? 0 : random.oneOf(depths)
    chain.length -= depth
    const length = salt === 0 ? firstBlocks : depth + 1 + random.below(grownMax)
    const blocks = Array.from({ length }, () => {
      const last = chain.at(-1)
      const { traffic, after } = trafficAfter(last?.held ?? nothingHeld, random)
      const block = plannedBlock({ parent: last?.block, salt, held: after }, traffic)
      chain.push({ block, held: after })
      return block
    })
    return { depth, blocks }
  })
}

/** What stands after these steps, from block 0 on. */
export function chainAfter(steps: readonly Step[]): PlannedBlock[] {
  const standing: PlannedBlock[] = []
  for (const { depth, blocks } of steps) standing.splice(standing.length - depth, depth, ...blocks)
  return standing
}
