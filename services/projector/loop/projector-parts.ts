import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { StateStore } from '../../../libs/ports/state-store.ts'
import type { Store } from '../../../libs/ports/store.ts'
import type { BlocksGroup } from '../../../libs/projections/group.ts'
import type { Log } from '../../../libs/signals/log.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import type { SkipReason } from '../../../libs/topics/acceptance.ts'
import type { DecodedReader } from '../reading/decoded-reader.ts'
import type { Step } from './commit.ts'
import type { ProjectorLimits } from './limits.ts'
import type { WriteThrough } from './write-through.ts'

export interface ProjectorParts {
  readonly group: BlocksGroup
  readonly eventLog: EventLog
  readonly store: Store
  /** The group's own volume; no other process may write to it. */
  readonly state: StateStore
  /** Names of the tables that it writes, without `progress`; all that are declared by default. */
  readonly tables?: readonly string[]
  /** Shared by the groups of one process, so that a message is decoded once. */
  readonly reader?: DecodedReader
  readonly limits?: Partial<ProjectorLimits>
  readonly log?: Log
  readonly metrics?: Metrics
  /** Writes to the cache that API processes share; none in embedded mode. */
  readonly writeThrough?: WriteThrough
  /** Called after each step of a commit; tests end the projector there. */
  readonly between?: (step: Step) => Promise<void>
}

export interface DimensionsParts {
  readonly eventLog: EventLog
  readonly store: Store
  readonly state: StateStore
  /** Of the deployment: facts of other chains are skipped. */
  readonly chainId: number
  readonly limits?: Partial<ProjectorLimits>
  readonly log?: Log
  readonly metrics?: Metrics
  /** Writes to the cache that API processes share; none in embedded mode. */
  readonly writeThrough?: WriteThrough
  readonly between?: (step: Step) => Promise<void>
}

/** Why a group does not go on: it waits for a valid message with the next sequence. */
export interface Stuck {
  readonly reason: Exclude<SkipReason, 'duplicate'>
  /** The sequence that it waits for. */
  readonly sequence: number
  /** Offset of the first message that it had to skip. */
  readonly offset: number
  readonly detail: string
}

export interface ProjectorStatus {
  readonly group: string
  /** Last position whose rows can be read; 0 before the first. */
  readonly position: number
  /** The newest block at that position; null before the first. */
  readonly block: number | null
  /** Messages of the log that are not folded, as of the last read. */
  readonly behind: number
  /** Folding state only, up to where an earlier life has written rows. */
  readonly isSilent: boolean
  readonly stuck: Stuck | null
}
