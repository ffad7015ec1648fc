import {
  ResultTooLarge,
  StoreDenied,
  StoreFailed,
  StoreMissing,
  StoreOverloaded,
  StoreUnavailable,
} from '../../../libs/ports/store.ts'
import { ReadingBound } from '../../../libs/queries/reading-bound.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import { type Runbook, runbooks } from '../../../libs/signals/runbooks.ts'
import { Overloaded } from '../pages/overloaded.ts'

/** Errors that are answered 503, the special ones first. */
const kinds = [
  { kind: StoreOverloaded, reason: 'too many queries', runbook: runbooks.overload },
  { kind: ResultTooLarge, reason: 'too many bytes to read', runbook: runbooks.overload },
  { kind: ReadingBound, reason: 'too many rows to read', runbook: runbooks.overload },
  { kind: StoreUnavailable, reason: 'ClickHouse is away', runbook: runbooks.engineAway },
  { kind: StoreFailed, reason: 'ClickHouse reports an error', runbook: runbooks.engineAway },
  { kind: StoreDenied, reason: 'ClickHouse refuses us', runbook: runbooks.engineAway },
  { kind: StoreMissing, reason: 'a table is missing', runbook: runbooks.engineAway },
] as const

interface Unavailable {
  readonly reason: string
  readonly runbook: Runbook
}

/** These do not pass by themselves. */
const isLasting = (error: unknown): boolean =>
  [StoreFailed, StoreDenied, StoreMissing].some((kind) => error instanceof kind)

/** What has happened since the last line. */
interface Summary {
  requests: number
  readonly reasons: Record<string, number>
  /** The last one; a lasting one before any other. */
  error: unknown
  requestId: string
  runbook: Runbook
}

/** At most one line of the log in so many ms, however many requests are answered 503. */
const lineEveryMs = 1_000

/** Counts requests that are answered 503 by reason, and logs them together. */
export class UnavailableAnswers {
  private readonly log: Log
  private readonly metrics: Pick<Metrics, 'unavailable'>
  private summary: Summary | null = null
  private isWaiting = false

  constructor(log: Log, metrics: Pick<Metrics, 'unavailable'>) {
    this.log = log
    this.metrics = metrics
  }

  /** @returns false for an error that is no reason for a 503 */
  count(error: unknown, requestId: string): boolean {
    const why = unavailable(error)
    if (why === null) return false
    const { reason, runbook } = why
    this.metrics.unavailable.inc({ reason })
    this.summary ??= { requests: 0, reasons: {}, error, requestId, runbook }
    const { summary } = this
    summary.requests += 1
    summary.reasons[reason] = (summary.reasons[reason] ?? 0) + 1
    if (isLasting(error) || !isLasting(summary.error)) {
      Object.assign(summary, { error, requestId, runbook })
    }
    if (!this.isWaiting) this.write()
    return true
  }

  private write(): void {
    const { summary } = this
    this.summary = null
    this.isWaiting = summary !== null
    if (summary === null) return
    setTimeout(() => this.write(), lineEveryMs).unref()
    const { requests, error } = summary
    const words = error instanceof Error ? error.message : String(error)
    const sentence = `answered 503 to ${requests} ${requests === 1 ? 'request' : 'requests'}: ${words}`
    const fields = { event: events.api.unavailable, ...summary }
    if (isLasting(error)) this.log.error(fields, sentence)
    else this.log.warn(fields, sentence)
  }
}

function unavailable(error: unknown): Unavailable | null {
  if (error instanceof Overloaded) return { reason: error.reason, runbook: runbooks.overload }
  return kinds.find(({ kind }) => error instanceof kind) ?? null
}
