import { type Store, StoreOverloaded, StoreUnavailable } from '../../ports/store.ts'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import type { Metrics } from '../../signals/metrics.ts'
import { runbooks } from '../../signals/runbooks.ts'
import { Breaker, type BreakerLimits } from '../breaker/breaker.ts'
import { isServerError, serverAt } from './store-error.ts'

export interface AvailabilityLimits extends BreakerLimits {
  /** Time is counted in these steps; one in which this process was busy counts once. */
  readonly tickMs: number
  /** A call without an answer for so long, while no other has one, is followed by a ping. */
  readonly pingAfterMs: number
  /** A ping is sent as often while there are no calls. */
  readonly idlePingMs: number
  /** A ping without an answer for so long, while no call has one either: the server is away. */
  readonly silenceMsMax: number
}

/** Readers of a server that hangs are to be answered within 2 s: ping, silence, two ticks. */
export const availabilityLimits: AvailabilityLimits = {
  tickMs: 100,
  pingAfterMs: 200,
  idlePingMs: 2_000,
  silenceMsMax: 1_400,
  failuresMax: 3,
  failureWindowMs: 10_000,
  pauseMsMin: 500,
  pauseMsMax: 2_000,
}

export interface AvailabilityOptions {
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
 * Whether ClickHouse answers. It is away after so many failures in a row, or where it says nothing
 * at all while it is pinged; whatever it answers, be it an error, it is there again. What our own
 * queue refuses says nothing about it.
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
  /** A call has failed, and a ping is to say whether the server is there. */
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

  /** Why it counts as away; null while it does not. */
  get unavailable(): StoreUnavailable | null {
    return this.reason
  }

  /** Why it cannot be used: it is away, or refuses even a ping. Null if neither. */
  get error(): Error | null {
    return this.reason ?? this.refusal
  }

  /** The listener is called each time when the server has gone away. */
  onUnavailable(listener: (reason: StoreUnavailable) => void): void {
    this.listeners.push(listener)
  }

  /** Makes a call, and learns from how it ends. @param signal of the caller, who may give it up */
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
    this.options.log.info({ event: events.clickhouse.available }, `${this.server} answers again`)
  }

  private failed(error: unknown, { answersBefore }: Call): void {
    if (!(error instanceof Error) || error instanceof StoreOverloaded) return
    if (isServerError(error)) {
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
      { event: events.clickhouse.unavailable, runbook: runbooks.engineAway },
      `${reason.message}: it is treated as unavailable until it answers a ping`,
    )
    for (const listener of this.listeners) listener(reason)
  }

  private pause(): void {
    this.nextPingAt = this.time + this.breaker.opened(this.time)
  }
}
