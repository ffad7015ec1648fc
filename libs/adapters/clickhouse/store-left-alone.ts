import { type Store, StoreUnavailable } from '../../ports/store.ts'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import type { Metrics } from '../../signals/metrics.ts'
import { runbooks } from '../../signals/runbooks.ts'
import { Breaker, type BreakerLimits } from '../breaker/breaker.ts'
import { isSaidByServer } from './unavailable.ts'

export interface LeftAloneLimits extends BreakerLimits {
  /** Where another was answered within this time, or since it was asked, a failure says nothing. */
  readonly silenceMsMin: number
  /** How long the question that is let through after a pause may take. */
  readonly probeMsMax: number
}

const limitsDefault: LeftAloneLimits = {
  failuresMax: 5,
  failureWindowMs: 60_000,
  pauseMsMin: 500,
  pauseMsMax: 2_000,
  silenceMsMin: 1_500,
  probeMsMax: 2_000,
}

interface Form {
  readonly log: Log
  readonly metrics: Pick<Metrics, 'storeAway'>
  readonly limits?: Partial<LeftAloneLimits>
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number
}

/**
 * For those who answer readers: a store that is silent is left alone. Once so many questions in a
 * row had no answer, those that still wait and all that come are refused at once; after a pause
 * one is let through to see. Whatever the server says, be it a refusal, it is there again.
 * Only questions are guarded: inserts and statements go as they did.
 */
export function storeLeftAlone(store: Store, form: Form): Store {
  const questions = new Questions(form)
  return {
    insert: (table, columns, rows) => store.insert(table, columns, rows),
    query: (sql, parameters, onCost) => questions.ask(() => store.query(sql, parameters, onCost)),
    execute: (sql) => store.execute(sql),
    close: () => store.close(),
  }
}

interface Waiting {
  readonly askedAt: number
  readonly giveUp: (error: StoreUnavailable) => void
}

class Questions {
  private readonly form: Form
  private readonly limits: LeftAloneLimits
  private readonly breaker: Breaker
  private readonly waiting = new Set<Waiting>()
  private answeredAt = Number.NEGATIVE_INFINITY
  /** When the next may be let through; null while the store is used. */
  private nextAt: number | null = null
  /** What was let through and has no answer yet. */
  private probe: Waiting | null = null

  constructor(form: Form) {
    this.form = form
    this.limits = { ...limitsDefault, ...form.limits }
    this.breaker = new Breaker(this.limits)
  }

  ask<T>(question: () => Promise<T>): Promise<T> {
    if (this.nextAt === null) return this.watched(question)
    if (this.probe !== null || this.now() < this.nextAt) return Promise.reject(leftAlone())
    return this.watched(question, (waiting) => {
      this.probe = waiting
      return setTimeout(() => this.probeIsLate(waiting), this.limits.probeMsMax)
    })
  }

  private watched<T>(
    question: () => Promise<T>,
    begun: (waiting: Waiting) => NodeJS.Timeout | undefined = () => undefined,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const waiting: Waiting = { askedAt: this.now(), giveUp: reject }
      this.waiting.add(waiting)
      const timer = begun(waiting)
      const over = () => {
        clearTimeout(timer)
        this.waiting.delete(waiting)
      }
      question().then(
        (answer) => {
          over()
          this.answered()
          resolve(answer)
        },
        (error: unknown) => {
          over()
          this.failed(error, waiting)
          reject(error)
        },
      )
    })
  }

  private answered(): void {
    this.answeredAt = this.now()
    this.breaker.answered()
    if (this.nextAt === null) return
    this.nextAt = null
    this.probe = null
    this.breaker.closed(this.answeredAt)
    this.form.metrics.storeAway.set(0)
    this.form.log.info({ event: events.store.used }, 'ClickHouse answers again: it is used')
  }

  private failed(error: unknown, waiting: Waiting): void {
    if (!(error instanceof StoreUnavailable) || isSaidByServer(error)) {
      this.answered()
      return
    }
    if (this.nextAt !== null) {
      if (this.probe === waiting) this.pause()
      return
    }
    const now = this.now()
    const isSilent =
      waiting.askedAt >= this.answeredAt && now - this.answeredAt >= this.limits.silenceMsMin
    if (isSilent && this.breaker.failed(now)) this.leave(error)
  }

  private leave(error: StoreUnavailable): void {
    const pauseMs = this.pause()
    this.form.metrics.storeAway.set(1)
    this.form.log.warn(
      { event: events.store.away, pauseMs, runbook: runbooks.engineAway },
      `ClickHouse is left alone, what is not known is answered 503: ${error.message}`,
    )
    for (const { giveUp } of this.waiting) giveUp(leftAlone())
    this.waiting.clear()
  }

  private probeIsLate(waiting: Waiting): void {
    if (this.probe !== waiting) return
    this.pause()
    waiting.giveUp(new StoreUnavailable(`no answer within ${this.limits.probeMsMax} ms`))
  }

  private pause(): number {
    const now = this.now()
    const pauseMs = this.breaker.opened(now)
    this.nextAt = now + pauseMs
    this.probe = null
    return pauseMs
  }

  private now(): number {
    return (this.form.now ?? (() => performance.now()))()
  }
}

const leftAlone = () => new StoreUnavailable('ClickHouse does not answer, and is left alone')
