import { silentLog } from '../../libs/signals/log.ts'
import { DimensionsRunner } from './dimensions-runner.ts'
import { projectorLimits } from './limits.ts'
import type { DimensionsParts } from './projector-parts.ts'

interface FactsStatus {
  /** Versions of all topics, added up: it grows with each message, and by leaps with an epoch. */
  readonly position: number
  /** Folded messages of all topics, including those removed by compaction. */
  readonly messages: number
  readonly deadLetters: number
}

export interface DimensionsProjector {
  status(): FactsStatus
  /** Resolves when that position is folded and announced. @throws if it fails. */
  waitFor(position: number): Promise<void>
  stop(): Promise<void>
  readonly failed: Promise<Error>
}

/**
 * Starts folding the topics of off-chain facts. A fact that cannot be folded is written to the
 * dead-letter topic, and folding continues.
 */
export function startDimensions(parts: DimensionsParts): DimensionsProjector {
  const limits = { ...projectorLimits, ...parts.limits }
  const runner = new DimensionsRunner({
    signals: silentLog,
    between: async () => {},
    writeThrough: async () => {},
    ...parts,
    limits,
  })
  const ended = runner.run()
  return {
    status: () => runner.status,
    waitFor: (position) => runner.waiting.until(position),
    failed: new Promise((resolve) => ended.then((error) => error !== null && resolve(error))),
    async stop() {
      runner.stop()
      await ended
    },
  }
}
