import { Overloaded, overloadReasons } from '../../../libs/bounds/overloaded.ts'
import {
  ResultTooLarge,
  StoreBehind,
  StoreDenied,
  StoreFailed,
  StoreMissing,
  StoreOverloaded,
  StoreUnavailable,
} from '../../../libs/ports/store.ts'
import { ReadLimitExceeded } from '../../../libs/queries/reading/read-limits.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import { type Runbook, runbooks } from '../../../libs/signals/runbooks.ts'

/** Errors answered 503; subclasses first. */
const kinds = [
  { kind: StoreOverloaded, reason: 'too many queries', runbook: runbooks.overload },
  { kind: ResultTooLarge, reason: 'too many bytes to read', runbook: runbooks.overload },
  { kind: ReadLimitExceeded, reason: 'too many rows to read', runbook: runbooks.overload },
  {
    kind: StoreUnavailable,
    reason: 'ClickHouse unavailable',
    runbook: runbooks.clickhouseUnavailable,
  },
  { kind: StoreBehind, reason: 'no current replica', runbook: runbooks.replicaBehind },
  { kind: StoreFailed, reason: 'ClickHouse error', runbook: runbooks.clickhouseUnavailable },
  {
    kind: StoreDenied,
    reason: 'ClickHouse access denied',
    runbook: runbooks.clickhouseUnavailable,
  },
  { kind: StoreMissing, reason: 'table missing', runbook: runbooks.clickhouseUnavailable },
] as const

interface Unavailable {
  readonly reason: string
  readonly runbook: Runbook
}

/** Errors that need an operator. */
const needsOperator = (error: unknown): boolean =>
  [StoreFailed, StoreDenied, StoreMissing].some((kind) => error instanceof kind)

/** 503 answers since the last log line. */
interface Summary {
  requests: number
  readonly reasons: Record<string, number>
  /** The last error; one that needs an operator takes precedence. */
  error: unknown
  requestId: string
  runbook: Runbook
}

/** Minimum interval between log lines, however many requests are answered 503. */
const lineEveryMs = 1_000

/** Counts 503 answers by reason, and logs them together. */
export class UnavailableAnswers {
  private readonly log: Log
  private readonly metrics: Pick<Metrics, 'unavailable'>
  private summary: Summary | null = null
  private isWaiting = false

  constructor(log: Log, metrics: Pick<Metrics, 'unavailable'>) {
    this.log = log
    this.metrics = metrics
    // A counter that begins with its first event shows no increase by it.
    for (const reason of [...overloadReasons, ...kinds.map((kind) => kind.reason)]) {
      metrics.unavailable.inc({ reason }, 0)
    }
  }

  /** @returns false for an error that is not answered 503 */
  count(error: unknown, requestId: string): boolean {
    const why = unavailable(error)
    if (why === null) return false
    const { reason, runbook } = why
    this.metrics.unavailable.inc({ reason })
    this.summary ??= { requests: 0, reasons: {}, error, requestId, runbook }
    const { summary } = this
    summary.requests += 1
    summary.reasons[reason] = (summary.reasons[reason] ?? 0) + 1
    if (needsOperator(error) || !needsOperator(summary.error)) {
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
    const message = error instanceof Error ? error.message : String(error)
    const sentence = `answered 503 to ${requests} ${requests === 1 ? 'request' : 'requests'}: ${message}`
    const fields = { event: events.api.unavailable, ...summary }
    if (needsOperator(error)) this.log.error(fields, sentence)
    else this.log.warn(fields, sentence)
  }
}

function unavailable(error: unknown): Unavailable | null {
  if (error instanceof Overloaded) return { reason: error.reason, runbook: runbooks.overload }
  return kinds.find(({ kind }) => error instanceof kind) ?? null
}
