import { silentLog } from '../../libs/signals/log.ts'
import type { DimensionsParts } from './dimensions-parts.ts'
import { DimensionsRunner } from './dimensions-runner.ts'
import { projectorLimits } from './limits.ts'

export interface DimensionsProjector {
  /** How many messages of all fact topics are folded. */
  status(): { readonly position: number; readonly deadLetters: number }
  /** Resolves when that many are folded and announced. @throws if it fails. */
  waitFor(position: number): Promise<void>
  stop(): Promise<void>
  readonly failed: Promise<Error>
}

/**
 * Starts to fold the topics of off-chain facts. A fact that cannot be folded goes to the dead
 * letters of its topic, and the stream goes on.
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
