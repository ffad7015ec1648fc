import { SourceError, type SourceErrorKind } from '../../../libs/ports/chain-source.ts'
import { LogUnavailable } from '../../../libs/ports/event-log.ts'
import { StoreUnavailable } from '../../../libs/ports/store.ts'
import { events } from '../../../libs/signals/events.ts'
import { type Runbook, runbooks } from '../../../libs/signals/runbooks.ts'
import type { Reason } from './health.ts'
import type { ServiceContext } from './serve.ts'

/** Something that another process has still to do. `reason` is a short stable word. */
export class NotReady extends Error {
  override readonly name = 'NotReady'
  readonly reason: string

  constructor(reason: string, sentence: string) {
    super(sentence)
    this.reason = reason
  }
}

const pauseMinMs = 250
const pauseMaxMs = 2_000
/** Between two lines that say the same. */
const repeatedMs = 10_000

/**
 * Attempts until it succeeds, while what fails may pass: a server is away, or a job is not done
 * yet. Says so in the log and to whoever asks about health.
 * @throws what will not pass, and when somebody asks to stop
 */
export async function waitUntilReady<T>(
  { log, health, signal }: Pick<ServiceContext, 'log' | 'health' | 'signal'>,
  attempt: () => Promise<T>,
): Promise<T> {
  let pauseMs = pauseMinMs
  let said = { reason: '', at: 0 }
  for (;;) {
    signal.throwIfAborted()
    try {
      const there = await attempt()
      health.setWaiting(null)
      return there
    } catch (error) {
      const awaited = transientReason(error)
      if (awaited === null) throw error
      health.setWaiting(awaited)
      const { reason, sentence } = awaited
      if (said.reason !== reason || Date.now() - said.at >= repeatedMs) {
        log.warn(
          { event: events.service.waiting, reason, runbook: runbookOf[reason] },
          `waiting: ${sentence}`,
        )
        said = { reason, at: Date.now() }
      }
    }
    await pause(pauseMs, signal)
    pauseMs = Math.min(pauseMs * 2, pauseMaxMs)
  }
}

/** Over at once where somebody asks to stop. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', over)
      resolve()
    }
    const timer = setTimeout(over, ms)
    signal.addEventListener('abort', over)
  })
}

/** By reason. */
const runbookOf: Readonly<Record<string, Runbook>> = {
  'clickhouse-away': runbooks.engineAway,
  'no-tables': runbooks.engineAway,
  'old-tables': runbooks.engineAway,
  'kafka-away': runbooks.logAway,
  'no-topics': runbooks.logAway,
  'node-away': runbooks.nodeAway,
}

const passingKinds: readonly SourceErrorKind[] = [
  'unreachable',
  'timed-out',
  'rate-limited',
  'unavailable',
]

/** What is awaited, where that helps; null where somebody has to do something about this one. */
export function transientReason(error: unknown): Reason | null {
  if (error instanceof NotReady) return { reason: error.reason, sentence: error.message }
  if (error instanceof StoreUnavailable)
    return { reason: 'clickhouse-away', sentence: error.message }
  if (error instanceof LogUnavailable) return { reason: 'kafka-away', sentence: error.message }
  if (error instanceof SourceError && passingKinds.includes(error.kind)) {
    return { reason: 'node-away', sentence: error.message }
  }
  return null
}
