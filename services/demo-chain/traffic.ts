import type { Intent, PreparedTransaction } from './action.ts'
import { type Random, randomOf, seedOf } from './random.ts'
import { setupBlocks, setupOf } from './setup.ts'
import { blob, codeSetting, creation, failingCall, run } from './traffic-of-contracts.ts'
import { catTrade, collectionTrade, hybridTrade, itemTrade } from './traffic-of-nfts.ts'
import {
  allowance,
  coinTransfer,
  poolTrade,
  spread,
  supplyChange,
  tokenTransfer,
  wrap,
} from './traffic-of-tokens.ts'
import { actionOf, type World } from './world.ts'

type Kind = (world: World, random: Random) => Intent

/** What happens, and how often. */
const kinds: readonly { readonly kind: Kind; readonly weight: number }[] = [
  { kind: tokenTransfer, weight: 26 },
  { kind: coinTransfer, weight: 14 },
  { kind: collectionTrade, weight: 11 },
  { kind: itemTrade, weight: 10 },
  { kind: poolTrade, weight: 8 },
  { kind: wrap, weight: 7 },
  { kind: hybridTrade, weight: 5 },
  { kind: allowance, weight: 5 },
  { kind: supplyChange, weight: 4 },
  { kind: catTrade, weight: 3 },
  { kind: failingCall, weight: 3 },
  { kind: run, weight: 1 },
  { kind: creation, weight: 1 },
  { kind: spread, weight: 1 },
]
const drawn = kinds.flatMap(({ kind, weight }) => Array.from({ length: weight }, () => kind))

/** What decides a block's traffic beside the world before it. */
export interface BlockPlan {
  readonly seed: number
  readonly number: number
  /** Counts the reorganisations: each leads into other traffic. */
  readonly branch: number
  readonly transactionsMin: number
  readonly transactionsMax: number
}

/** The transactions of a block, in their order. Moves the world on. */
export function trafficOf(world: World, plan: BlockPlan): PreparedTransaction[] {
  const random = randomOf(seedOf(plan.seed, plan.number, plan.branch))
  if (plan.number <= setupBlocks) {
    const setup = setupOf(world)[plan.number - 1] ?? []
    return setup.map((wanted) => actionOf(world, random, wanted))
  }
  const { transactionsMin, transactionsMax } = plan
  const count = transactionsMin + random.below(transactionsMax - transactionsMin + 1)
  const actions: PreparedTransaction[] = []
  for (let n = 0; n < count; n++) {
    const kind = random.onceIn(300) ? blob : random.pick(drawn)
    actions.push(actionOf(world, random, kind(world, random)))
  }
  if (count > 0 && random.onceIn(15)) {
    actions.push(actionOf(world, random, codeSetting(world, random)))
  }
  return actions
}
