import type { SmallVolume } from '../../deploy/stack/small-volume.ts'
import type { Stack } from '../../deploy/stack/stack.ts'
import type { Random } from '../queries/random.ts'
import type { ChainNode } from './chain-node.ts'
import type { Deployment } from './deployment.ts'

/** What a run has really done, in all its lives. */
export interface Tally {
  /** Processes that ran and were ended by SIGKILL at a random moment. */
  killsAtRandom: number
}

/** What a fault finds when it strikes. */
export interface Scene {
  readonly random: Random
  readonly stack: Stack
  readonly node: ChainNode
  readonly deployed: Deployment
  /** Advances the chain by one step and publishes new facts. @returns their turn */
  readonly tell: () => Promise<number>
  readonly tally: Tally
  /** Prints progress. */
  readonly say: (sentence: string) => void
  /** That the broker's log lies on; null where none can be had. */
  readonly volume: SmallVolume | null
}

/** Takes back what was done, and waits until those who were struck work again. */
export type Undo = () => Promise<void>

/** One thing that goes wrong. */
export interface Fault {
  readonly name: string
  readonly strike: (scene: Scene) => Promise<Undo>
}
