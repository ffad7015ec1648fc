import type { Redis } from 'ioredis'
import { Breaker, type BreakerLimits } from '../../bounds/breaker.ts'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import type { Metrics } from '../../signals/metrics.ts'
import type { PlainDurations } from '../../signals/plain-metrics.ts'
import { runbooks } from '../../signals/runbooks.ts'
import {
  claimPrefix,
  type RedisOptions,
  RedisTimeout,
  redisClient,
  withTimeout,
} from './redis-client.ts'
import { type RedisFailure, redisFailure } from './redis-failure.ts'

export interface LinkLimits extends BreakerLimits {
  readonly connectTimeoutMs: number
  /** Of a round trip, for all its commands. */
  readonly commandTimeoutMs: number
  /** Round trips without a response yet, those that timed out included. */
  readonly roundTripsInFlightMax: number
  /** Their approximate size. */
  readonly bytesInFlightMax: number
  /** A connection without a response for this long is closed, even if few commands are sent. */
  readonly silenceMsMax: number
}

export const linkLimits: LinkLimits = {
  connectTimeoutMs: 2_000,
  commandTimeoutMs: 100,
  roundTripsInFlightMax: 256,
  bytesInFlightMax: 16 * 1024 * 1024,
  silenceMsMax: 2_000,
  failuresMax: 5,
  failureWindowMs: 1_000,
  pauseMsMin: 100,
  pauseMsMax: 2_000,
}

export interface LinkMetrics {
  readonly redisSeconds: {
    durationsOf(purpose: 'read' | 'write' | 'lease' | 'count'): PlainDurations
  }
  readonly cacheFailures: Pick<Metrics['cacheFailures'], 'inc'>
  readonly cacheUnavailable: {
    set(labels: { readonly cache: LinkParts['name'] }, isAway: number): void
  }
}

interface LinkParts {
  /** What the connection is for: a label of its metrics. */
  readonly name: 'redis' | 'limits'
  readonly log: Log
  readonly metrics: LinkMetrics
  /** Runs on each new connection before it is used; if it fails, the client reconnects. */
  readonly prepare: (redis: Redis) => Promise<void>
  /** Whether that is still done: it runs again if not, before the connection is used. */
  readonly isPrepared?: () => boolean
}

export interface RoundTrip {
  /** Of its purpose. */
  readonly durations: PlainDurations
  /** Of what is sent, about; none by default. */
  readonly bytes?: number
}

/** Why a round trip failed; label values. */
const failures = ['unavailable', 'crowded', 'timed-out', 'failed', 'refused'] as const
type Failure = (typeof failures)[number]

/**
 * One connection with a circuit breaker. A new connection is used once it has claimed its prefix. A
 * lost or slow one is closed and re-established after a pause; meanwhile round trips fail
 * immediately.
 */
export class RedisLink {
  private readonly redis: Redis
  private readonly shown: string
  private readonly options: RedisOptions
  private readonly limits: LinkLimits
  private readonly parts: LinkParts
  private readonly breaker: Breaker
  private isUsed = false
  private isClosed = false
  /** The failure that was logged last, so that it is logged once. */
  private loggedKind: RedisFailure['kind'] | null = null
  /** Callers of `connected` that wait. */
  private readonly awaiting = new Set<() => void>()
  private roundTrips = 0
  private bytes = 0
  /** Runs from the first time-out to the next answer. */
  private silence: NodeJS.Timeout | null = null

  constructor(options: RedisOptions, limits: LinkLimits, parts: LinkParts) {
    this.options = options
    this.limits = limits
    this.parts = parts
    this.breaker = new Breaker(limits)
    for (const reason of failures) parts.metrics.cacheFailures.inc({ cache: parts.name, reason }, 0)
    const pause = () => (this.isClosed ? null : this.breaker.opened(performance.now()))
    const { redis, shown } = redisClient(options, { ...limits, pause })
    this.redis = redis
    this.shown = shown
    redis.on('ready', () => void this.begin())
    redis.on('error', (error: Error) => this.disconnected(error))
    redis.on('close', () => this.disconnected(new Error('it closed the connection')))
  }

  /** @returns undefined if it is unavailable, or did not respond in time: counted. */
  async roundTrip<T>(
    { durations, bytes = 0 }: RoundTrip,
    send: (redis: Redis) => Promise<T>,
  ): Promise<T | undefined> {
    const failure = this.unavailability(bytes)
    if (failure !== null) return this.failed(failure)
    const startedAt = performance.now()
    const answer = send(this.redis)
    this.count(bytes, answer)
    try {
      return await withTimeout(this.limits.commandTimeoutMs, answer)
    } catch (error) {
      return this.failedWith(error)
    } finally {
      durations.observe((performance.now() - startedAt) / 1_000)
    }
  }

  /**
   * Until the response, at the latest until the connection closes: the client keeps a command, and
   * the socket its bytes, also after the timeout.
   */
  private count(bytes: number, answer: Promise<unknown>): void {
    this.roundTrips++
    this.bytes += bytes
    const settled = (isAnswered: boolean) => {
      this.roundTrips--
      this.bytes -= bytes
      if (isAnswered) this.endSilence()
    }
    answer.then(
      () => settled(true),
      (error: unknown) => settled(isErrorReply(error)),
    )
  }

  /** @returns whether it is in use, now or within that time */
  async connected(waitMsMax: number): Promise<boolean> {
    if (this.isUsed || this.isClosed) return this.isUsed
    let onUsed = () => {}
    const isUsed = new Promise<void>((resolve) => {
      onUsed = resolve
    })
    this.awaiting.add(onUsed)
    await withTimeout(waitMsMax, isUsed).catch(() => {})
    this.awaiting.delete(onUsed)
    return this.isUsed
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.isUsed = false
    this.endSilence()
    this.redis.disconnect()
  }

  /** If it fails, the next connection runs it. */
  async prepareAgain(): Promise<void> {
    if (!this.isUsed) return
    try {
      await this.parts.prepare(this.redis)
    } catch (error) {
      this.renew(error)
    }
  }

  /** Closes the connection, and reconnects after a pause. */
  private renew(error: unknown): void {
    if (!this.isUsed) return
    this.disconnected(error)
    // A new connection: late responses would precede those of the next commands.
    this.redis.disconnect(true)
  }

  private unavailability(bytes: number): Failure | null {
    if (!this.isUsed) return 'unavailable'
    const { roundTripsInFlightMax, bytesInFlightMax } = this.limits
    const isCrowded =
      this.roundTrips >= roundTripsInFlightMax || this.bytes + bytes > bytesInFlightMax
    return isCrowded ? 'crowded' : null
  }

  private failed(reason: Failure): undefined {
    this.parts.metrics.cacheFailures.inc({ cache: this.parts.name, reason })
  }

  private failedWith(error: unknown): undefined {
    // An error reply is a response: no reason to open the breaker.
    if (isErrorReply(error)) return this.failed('refused')
    const isLate = error instanceof RedisTimeout
    this.failed(isLate ? 'timed-out' : 'failed')
    if (this.breaker.failed(performance.now())) this.renew(error)
    else if (isLate) this.beginSilence()
  }

  /** With few commands, failures never fill a window of the breaker. */
  private beginSilence(): void {
    if (this.silence !== null || !this.isUsed) return
    const { silenceMsMax } = this.limits
    const silence = setTimeout(() => {
      // The sockets are read once more: this event loop may have been blocked.
      setImmediate(() => {
        if (this.silence !== silence) return
        this.endSilence()
        this.renew(new RedisTimeout(`no answer within ${silenceMsMax} ms`))
      })
    }, silenceMsMax)
    silence.unref()
    this.silence = silence
  }

  private endSilence(): void {
    if (this.silence !== null) clearTimeout(this.silence)
    this.silence = null
  }

  /** A new connection is used once it has authenticated and claimed the prefix. */
  private async begin(): Promise<void> {
    try {
      await withTimeout(
        this.limits.commandTimeoutMs,
        claimPrefix(this.redis, this.options, this.shown),
      )
      const { prepare, isPrepared = () => true } = this.parts
      do await prepare(this.redis)
      while (!isPrepared() && !this.isClosed)
    } catch (error) {
      this.disconnected(error)
      if (!this.isClosed) this.redis.disconnect(true)
      return
    }
    if (this.isClosed) return
    this.breaker.closed(performance.now())
    this.isUsed = true
    for (const onUsed of this.awaiting) onUsed()
    this.loggedKind = null
    this.parts.metrics.cacheUnavailable.set({ cache: this.parts.name }, 0)
    const { log, name: cache } = this.parts
    log.info({ event: events.cache.available, cache }, `connected to Redis at ${this.shown}`)
  }

  private disconnected(error: unknown): void {
    const wasUsed = this.isUsed
    this.isUsed = false
    this.endSilence()
    if (this.isClosed) return
    const { kind, message } = redisFailure(error, this.shown)
    // The close event after every error reports nothing new.
    if (
      !wasUsed &&
      (this.loggedKind === kind || (this.loggedKind !== null && kind === 'unreachable'))
    )
      return
    this.loggedKind = kind
    this.parts.metrics.cacheUnavailable.set({ cache: this.parts.name }, 1)
    this.parts.log.warn(
      {
        event: events.cache.unavailable,
        cache: this.parts.name,
        kind,
        runbook: runbooks.redisUnavailable,
      },
      `continuing without Redis: ${message}`,
    )
  }
}

const isErrorReply = (error: unknown) => error instanceof Error && error.name === 'ReplyError'
