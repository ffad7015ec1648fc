import { memoryStateStore } from '../../libs/adapters/memory/memory-state-store.ts'
import { type IngestorOptions, startIngestor } from './ingestor.ts'
import { ingestorLimits } from './ingestor-limits.ts'
import { LogMemory } from './log-memory.ts'
import type { Ingestor } from './running-ingestor.ts'
import { upToHead } from './up-to-head.ts'

export interface RepairOptions extends IngestorOptions {
  /** Sequence of the message that the log accepts next. */
  readonly from: number
}

export interface Repaired {
  /** Sequence of the last message that counts now. */
  readonly to: number
  /** The newest block at that message; null if there is none. */
  readonly block: number | null
}

export interface Repair extends Pick<Ingestor, 'status' | 'stop'> {
  /** Resolves when the log has what the source had when it began. @throws what halted it */
  readonly repaired: Promise<Repaired>
}

/**
 * Publishes what the source has, from the message on that the log accepts next, up to the head
 * that the source has now. It is an ingestor with an end: another that runs beside it is harmless.
 *
 * @throws with one sentence if the log accepts another message next, or is of another chain
 */
export async function startRepair({ from, ...options }: RepairOptions): Promise<Repair> {
  const { log, state = memoryStateStore() } = options
  const limits = { ...ingestorLimits, ...options.limits }
  const memory = await LogMemory.open({ log, limits, state })
  // The log need not be read again by the ingestor.
  await memory.save()
  const next = memory.accepted.sequence + 1
  if (from !== next) throw new Error(from > next ? tooLate(from, next) : tooEarly(from, next))
  const source = await upToHead(options.source)
  const ingestor = await startIngestor({ ...options, source, state })
  const repaired = Promise.race([ingestor.done, ingestor.failed]).then((halted) => {
    if (halted instanceof Error) throw halted
    const { position, block } = ingestor.status()
    return { to: position, block }
  })
  return { repaired, status: () => ingestor.status(), stop: () => ingestor.stop() }
}

const tooLate = (from: number, next: number) =>
  `the log accepts message ${next} next, not ${from}: messages from ${next} on are missing or do ` +
  `not count, so it is to be repaired with --from ${next}`

const tooEarly = (from: number, next: number) =>
  `the log accepts message ${next} next, not ${from}: message ${from} stands in it and counts, and ` +
  `whoever waits for it has only to read on; what is missing begins with --from ${next}`
