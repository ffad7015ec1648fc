import { Breaker, type BreakerLimits } from '../../bounds/breaker.ts'
import { type Store, StoreOverloaded, StoreUnavailable } from '../../ports/store.ts'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import type { Metrics } from '../../signals/metrics.ts'
import { runbooks } from '../../signals/runbooks.ts'
import { isServerError, serverAt } from './store-error.ts'

export interface AvailabilityLimits extends BreakerLimits {
  /** Time resolution; a tick delayed by a busy process counts once. */
  readonly tickMs: number
  /** A ping is sent if no call has been answered for this time. */
  readonly pingAfterMs: number
  /** Ping interval while there are no calls. */
  readonly idlePingMs: number
  /** The server is unavailable if neither a ping nor a call is answered for this time. */
  readonly silenceMsMax: number
}

/** Readers of a server that hangs are to be answered within 2 s: ping, silence, two ticks. */
const availabilityLimits: AvailabilityLimits = {
  tickMs: 100,
  pingAfterMs: 200,
  idlePingMs: 2_000,
  silenceMsMax: 1_400,
  failuresMax: 3,
  failureWindowMs: 10_000,
  pauseMsMin: 500,
  pauseMsMax: 2_000,
}

interface AvailabilityOptions {
  readonly store: Pick<Store, 'ping'>
  /** Of the server, for sentences. */
  readonly url: string
  readonly log: Log
  readonly metrics: Pick<Metrics, 'clickhouseUnavailable'>
  readonly limits?: Partial<AvailabilityLimits>
}

/** A query, insert or ping that has no answer yet. */
interface Call {
  readonly sentAt: number
  /** Answers of the server, to any call, before this one was sent. */
  readonly answersBefore: number
}

interface Ping extends Call {
  readonly giveUp: AbortController
}

/**
 * Whether ClickHouse is available. It is unavailable after a number of consecutive failures, or if
 * pings are not answered; any response, also an error, makes it available again. Rejections by the
 * local queue are ignored.
 */
export class Availability {
  private readonly options: AvailabilityOptions
  private readonly limits: AvailabilityLimits
  private readonly breaker: Breaker
  private readonly server: string
  private readonly timer: NodeJS.Timeout
  private readonly calls = new Set<Call>()
  private readonly listeners: ((reason: StoreUnavailable) => void)[] = []
  /** In steps of a tick. */
  private time = 0
  private answers = 0
  private answeredAt = 0
  private ping: Ping | null = null
  private pingedAt = 0
  /** A call has failed; a ping will check the server. */
  private isSuspected = false
  private reason: StoreUnavailable | null = null
  private nextPingAt = 0
  private refusal: Error | null = null
  private isStopped = false

  constructor(options: AvailabilityOptions) {
    this.options = options
    this.limits = { ...availabilityLimits, ...options.limits }
    this.breaker = new Breaker(this.limits)
    options.metrics.clickhouseUnavailable.set(0)
    this.server = serverAt(options.url)
    this.timer = setInterval(() => this.tick(), this.limits.tickMs)
    this.timer.unref()
  }

  stop(): void {
    this.isStopped = true
    clearInterval(this.timer)
    this.ping?.giveUp.abort()
  }

  /** Why it is unavailable; null while it is available. */
  get unavailable(): StoreUnavailable | null {
    return this.reason
  }

  /** Why it cannot be used: unavailable, or rejecting pings. Null if neither. */
  get error(): Error | null {
    return this.reason ?? this.refusal
  }

  /** The listener is called each time the server becomes unavailable. */
  onUnavailable(listener: (reason: StoreUnavailable) => void): void {
    this.listeners.push(listener)
  }

  /** Makes a call and records its outcome. @param signal of the caller, who may abort it */
  async observe<T>(send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const call = this.begun()
    this.calls.add(call)
    try {
      const answer = await send()
      this.answered()
      return answer
    } catch (error) {
      if (signal?.aborted !== true) this.failed(error, call)
      throw error
    } finally {
      this.calls.delete(call)
    }
  }

  private begun(): Call {
    return { sentAt: this.time, answersBefore: this.answers }
  }

  private answered(): void {
    this.answers += 1
    this.answeredAt = this.time
    this.isSuspected = false
    this.breaker.answered()
    if (this.reason === null || this.isStopped) return
    this.reason = null
    this.breaker.closed(this.time)
    this.options.metrics.clickhouseUnavailable.set(0)
    this.options.log.info({ event: events.clickhouse.available }, `${this.server} responds again`)
  }

  private failed(error: unknown, { answersBefore }: Call): void {
    if (!(error instanceof Error) || error instanceof StoreOverloaded) return
    // A row that cannot be decoded was answered, too.
    if (isServerError(error) || error instanceof RangeError) {
      this.answered()
      return
    }
    if (!(error instanceof StoreUnavailable) || answersBefore < this.answers) return
    if (this.reason !== null) return
    this.isSuspected = true
    if (this.breaker.failed(this.time)) this.markUnavailable(error)
  }

  private tick(): void {
    this.time += this.limits.tickMs
    if (this.ping === null) {
      if (this.isPingDue()) void this.sendPing()
    } else if (this.time - this.ping.sentAt >= this.limits.silenceMsMax) {
      const sentence = `${this.server} did not answer within ${this.limits.silenceMsMax} ms (ping)`
      this.ping.giveUp.abort(new StoreUnavailable(sentence))
    }
  }

  private isPingDue(): boolean {
    const { pingAfterMs, idlePingMs } = this.limits
    if (this.reason !== null) return this.time >= this.nextPingAt
    const [oldest] = this.calls
    const isSilent =
      oldest !== undefined && this.time - Math.max(oldest.sentAt, this.answeredAt) >= pingAfterMs
    const isIdle = this.time - Math.max(this.answeredAt, this.pingedAt) >= idlePingMs
    return this.isSuspected || isSilent || isIdle
  }

  private async sendPing(): Promise<void> {
    const ping = { ...this.begun(), giveUp: new AbortController() }
    this.ping = ping
    this.pingedAt = this.time
    try {
      await this.options.store.ping(ping.giveUp.signal)
      this.refusal = null
      this.answered()
    } catch (error) {
      this.pingFailed(error, ping)
    } finally {
      this.ping = null
    }
  }

  private pingFailed(error: unknown, ping: Ping): void {
    if (this.isStopped || !(error instanceof Error)) return
    if (!(error instanceof StoreUnavailable) || isServerError(error)) {
      this.refusal = error
      this.answered()
    } else if (this.reason !== null) this.pause()
    else if (ping.answersBefore < this.answers) return
    else if (ping.giveUp.signal.aborted) this.markUnavailable(error)
    else this.failed(error, ping)
  }

  private markUnavailable(reason: StoreUnavailable): void {
    if (this.isStopped) return
    this.reason = reason
    this.pause()
    this.options.metrics.clickhouseUnavailable.set(1)
    this.options.log.warn(
      { event: events.clickhouse.unavailable, runbook: runbooks.clickhouseUnavailable },
      `${reason.message}: it is treated as unavailable until it answers a ping`,
    )
    for (const listener of this.listeners) listener(reason)
  }

  private pause(): void {
    this.nextPingAt = this.time + this.breaker.opened(this.time)
  }
}
