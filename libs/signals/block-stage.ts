import type { Metrics } from './metrics.ts'
import type { PlainDurations } from './plain-metrics.ts'

/** What happens to a new block, in order. */
type Stage = 'published' | 'stored' | 'announced' | 'visible'

const header = 'seen-ms'

/** Beside a message: when the ingestor first had its block. No fold and no answer reads it. */
export const seenHeaders = (seen: number | null | undefined) =>
  seen === null || seen === undefined ? {} : { headers: { [header]: String(seen) } }

/** In ms since 1970; null without a header, or with one that is none of ours. */
export function seenIn(headers: Readonly<Record<string, string>> = {}): number | null {
  const text = headers[header] ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

/**
 * Measures how old new blocks are when they reach a stage, by the clocks of two machines. A block
 * that was there before this process is not new to it: after a restart, or of a topic that is read
 * again, its age would be the time that the process was away.
 */
export class BlockStage {
  private readonly durations: PlainDurations | undefined
  private readonly startedAt = Date.now()

  constructor(metrics: Pick<Metrics, 'blockStageSeconds'> | undefined, stage: Stage) {
    this.durations = metrics?.blockStageSeconds.durationsOf(stage)
  }

  /** @param seen of the block, in ms since 1970; null if it is not measured */
  reached(seen: number | null | undefined, now = Date.now()): void {
    if (seen === null || seen === undefined || seen < this.startedAt) return
    this.durations?.observe(Math.max(0, now - seen) / 1_000)
  }
}
