import type { EventLog } from '../../libs/ports/event-log.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import type { Store } from '../../libs/ports/store.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import type { Step } from './flush.ts'
import type { ProjectorLimits } from './limits.ts'
import type { WriteThrough } from './write-through.ts'

export interface DimensionsParts {
  readonly log: EventLog
  readonly store: Store
  readonly state: StateStore
  /** Of the deployment: facts of other chains are skipped. */
  readonly chainId: number
  readonly limits?: Partial<ProjectorLimits>
  readonly signals?: Log
  readonly metrics?: Metrics
  /** Writes to the cache that API processes share; none in embedded mode. */
  readonly writeThrough?: WriteThrough
  readonly between?: (step: Step) => Promise<void>
}
