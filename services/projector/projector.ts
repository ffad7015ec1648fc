import type { EventLog } from '../../libs/ports/event-log.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import type { Store } from '../../libs/ports/store.ts'
import type { BlocksGroup } from '../../libs/projections/group.ts'
import { type Log, silentLog } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { type DecodedReader, decodedReader } from './decoded-reader.ts'
import type { Step } from './flush.ts'
import { type ProjectorLimits, projectorLimits } from './limits.ts'
import { Runner } from './runner.ts'
import type { ProjectorStatus } from './status.ts'

export interface ProjectorParts {
  readonly group: BlocksGroup
  readonly log: EventLog
  readonly store: Store
  /** The group's own volume; nobody else may write it. */
  readonly state: StateStore
  /** Shared by the groups of one process, so that a message is decoded once. */
  readonly reader?: DecodedReader
  readonly limits?: Partial<ProjectorLimits>
  readonly signals?: Log
  readonly metrics?: Metrics
  /** Called after each step of a commit; tests end the projector there. */
  readonly between?: (step: Step) => Promise<void>
}

export interface Projector {
  status(): ProjectorStatus
  /** Resolves when all up to `position` can be read and was announced. @throws if it fails. */
  waitFor(position: number): Promise<void>
  /** Finishes the flush that is under way; what is folded beyond it is folded again. */
  stop(): Promise<void>
  /** Resolves with the reason when the projector cannot go on; pends while it runs or stops. */
  readonly failed: Promise<Error>
}

/** Starts to fold `blocks` through one group into tables. */
export function startProjector(parts: ProjectorParts): Projector {
  const limits = { ...projectorLimits, ...parts.limits }
  const reader = parts.reader ?? decodedReader(parts.log)
  const between = parts.between ?? (async () => {})
  const runner = new Runner({ signals: silentLog, ...parts, limits, reader, between })
  const ended = runner.run()
  return {
    status: () => runner.status(),
    waitFor: (position) => runner.waiting.until(position),
    failed: new Promise((resolve) => ended.then((error) => error !== null && resolve(error))),
    async stop() {
      runner.stop()
      await ended
    },
  }
}
