import type { Redis } from 'ioredis'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import type { Metrics } from '../../signals/metrics.ts'
import { runbooks } from '../../signals/runbooks.ts'
import { Breaker, type BreakerLimits } from '../breaker/breaker.ts'
import { type RedisForm, redisClient, takenPossession } from './redis-client.ts'
import { RedisTimedOut, type RedisTrouble, redisTrouble } from './redis-trouble.ts'
import { within } from './within.ts'

export interface LinkLimits extends BreakerLimits {
  readonly connectTimeoutMs: number
  /** Of a round trip, however many commands go in it. */
  readonly commandTimeoutMs: number
  /** Sent and not answered yet, those that nobody waits for any more included. */
  readonly roundTripsInFlightMax: number
  /** Of these, about. */
  readonly bytesInFlightMax: number
  /** A connection that answers nothing for so long is closed, however little is asked. */
  readonly silenceMsMax: number
}

interface LinkParts {
  readonly log: Log
  readonly metrics: Metrics
  /** Done on each new connection before it is used; where it fails, another one is made. */
  readonly prepare: (redis: Redis) => Promise<void>
}

/** Why a round trip was none; label values. */
type Failure = 'away' | 'crowded' | 'timed-out' | 'failed' | 'refused'

/**
 * One connection that is used while it is well and left alone while it is not: each new connection
 * must first show that it is ours. Lost or slow, it is closed and tried again after a pause;
 * meanwhile whoever asks learns at once that there is nothing.
 */
export class RedisLink {
  private readonly redis: Redis
  private readonly shown: string
  private readonly form: RedisForm
  private readonly limits: LinkLimits
  private readonly parts: LinkParts
  private readonly breaker: Breaker
  private isUsed = false
  private isClosed = false
  /** The trouble that was told last, so that it is told once. */
  private told: RedisTrouble['kind'] | null = null
  /** Those who wait until it is used. */
  private readonly awaiting = new Set<() => void>()
  private roundTrips = 0
  private bytes = 0
  /** Runs from the first time-out to the next answer. */
  private silence: NodeJS.Timeout | null = null

  constructor(form: RedisForm, limits: LinkLimits, parts: LinkParts) {
    this.form = form
    this.limits = limits
    this.parts = parts
    this.breaker = new Breaker(limits)
    const pause = () => (this.isClosed ? null : this.breaker.opened(performance.now()))
    const { redis, shown } = redisClient(form, { ...limits, pause })
    this.redis = redis
    this.shown = shown
    redis.on('ready', () => void this.begin())
    redis.on('error', (error: Error) => this.leave(error))
    redis.on('close', () => this.leave(new Error('it closed the connection')))
  }

  /** @returns undefined if it could not be asked, or did not answer in time: counted. */
  async ask<T>(bytes: number, question: (redis: Redis) => Promise<T>): Promise<T | undefined> {
    const failure = this.whyNot(bytes)
    if (failure !== null) return this.failed(failure)
    const answer = question(this.redis)
    this.count(bytes, answer)
    try {
      return await within(this.limits.commandTimeoutMs, answer)
    } catch (error) {
      return this.failedWith(error)
    }
  }

  /**
   * Until it settles, at the latest when the connection closes: the client keeps a command, and the
   * socket its bytes, also where nobody waits for the answer any more.
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
      (error: unknown) => settled(isRefusal(error)),
    )
  }

  /** @returns whether it is used, at once or within that time */
  async connected(waitMsMax: number): Promise<boolean> {
    if (this.isUsed || this.isClosed) return this.isUsed
    let begun = () => {}
    const isUsed = new Promise<void>((resolve) => {
      begun = resolve
    })
    this.awaiting.add(begun)
    await within(waitMsMax, isUsed).catch(() => {})
    this.awaiting.delete(begun)
    return this.isUsed
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.isUsed = false
    this.endSilence()
    this.redis.disconnect()
  }

  /** Where that fails, a new connection is made, which does it. */
  async prepareAgain(): Promise<void> {
    if (!this.isUsed) return
    try {
      await this.parts.prepare(this.redis)
    } catch (error) {
      this.renew(error)
    }
  }

  /** Closes the connection, and makes another one after a pause. */
  private renew(error: unknown): void {
    if (!this.isUsed) return
    this.leave(error)
    // Not on this one: late answers would stand before those that are asked next.
    this.redis.disconnect(true)
  }

  private whyNot(bytes: number): Failure | null {
    if (!this.isUsed) return 'away'
    const { roundTripsInFlightMax, bytesInFlightMax } = this.limits
    const isCrowded =
      this.roundTrips >= roundTripsInFlightMax || this.bytes + bytes > bytesInFlightMax
    return isCrowded ? 'crowded' : null
  }

  private failed(reason: Failure): undefined {
    this.parts.metrics.cacheFailures.inc({ cache: 'redis', reason })
  }

  private failedWith(error: unknown): undefined {
    // It answered, if only that it will not: no reason to leave it alone.
    if (isRefusal(error)) return this.failed('refused')
    const isLate = error instanceof RedisTimedOut
    this.failed(isLate ? 'timed-out' : 'failed')
    if (this.breaker.failed(performance.now())) this.renew(error)
    else if (isLate) this.beginSilence()
  }

  /** Where little is asked, failures never fill a window of the breaker. */
  private beginSilence(): void {
    if (this.silence !== null || !this.isUsed) return
    const { silenceMsMax } = this.limits
    const silence = setTimeout(() => {
      // The sockets are read once more: a pause of our own is not theirs.
      setImmediate(() => {
        if (this.silence !== silence) return
        this.endSilence()
        this.renew(new RedisTimedOut(`no answer within ${silenceMsMax} ms`))
      })
    }, silenceMsMax)
    silence.unref()
    this.silence = silence
  }

  private endSilence(): void {
    if (this.silence !== null) clearTimeout(this.silence)
    this.silence = null
  }

  /** A new connection: used as soon as it has shown that it is a Redis, lets us in, and is ours. */
  private async begin(): Promise<void> {
    try {
      await within(this.limits.commandTimeoutMs, takenPossession(this.redis, this.form, this.shown))
      await this.parts.prepare(this.redis)
    } catch (error) {
      this.leave(error)
      if (!this.isClosed) this.redis.disconnect(true)
      return
    }
    if (this.isClosed) return
    this.breaker.closed(performance.now())
    this.isUsed = true
    for (const begun of this.awaiting) begun()
    this.told = null
    this.parts.metrics.cacheAway.set({ cache: 'redis' }, 0)
    this.parts.log.info({ event: events.cache.used }, `Redis at ${this.shown} is used`)
  }

  private leave(error: unknown): void {
    const wasUsed = this.isUsed
    this.isUsed = false
    this.endSilence()
    if (this.isClosed) return
    const { kind, message } = redisTrouble(error, this.shown)
    // The close that follows on every trouble says nothing new.
    if (!wasUsed && (this.told === kind || (this.told !== null && kind === 'unreachable'))) return
    this.told = kind
    this.parts.metrics.cacheAway.set({ cache: 'redis' }, 1)
    this.parts.log.warn(
      { event: events.cache.away, kind, runbook: runbooks.redisAway },
      `going on without it: ${message}`,
    )
  }
}

const isRefusal = (error: unknown) => error instanceof Error && error.name === 'ReplyError'
