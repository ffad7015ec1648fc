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
  readonly roundTripsInFlightMax: number
  /** What is sent and not yet answered, about. */
  readonly bytesInFlightMax: number
}

interface Speaks {
  readonly log: Log
  readonly metrics: Metrics
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
  private readonly speaks: Speaks
  private readonly breaker: Breaker
  private isUsed = false
  private isClosed = false
  /** The trouble that was told last, so that it is told once. */
  private told: RedisTrouble['kind'] | null = null
  /** Those who wait until it is used. */
  private readonly awaiting = new Set<() => void>()
  private roundTrips = 0
  private bytes = 0

  constructor(form: RedisForm, limits: LinkLimits, speaks: Speaks) {
    this.form = form
    this.limits = limits
    this.speaks = speaks
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
    this.roundTrips++
    this.bytes += bytes
    try {
      return await within(this.limits.commandTimeoutMs, question(this.redis))
    } catch (error) {
      return this.failedWith(error)
    } finally {
      this.roundTrips--
      this.bytes -= bytes
    }
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
    this.redis.disconnect()
  }

  private whyNot(bytes: number): Failure | null {
    if (!this.isUsed) return 'away'
    const { roundTripsInFlightMax, bytesInFlightMax } = this.limits
    const isCrowded =
      this.roundTrips >= roundTripsInFlightMax || this.bytes + bytes > bytesInFlightMax
    return isCrowded ? 'crowded' : null
  }

  private failed(reason: Failure): undefined {
    this.speaks.metrics.cacheFailures.inc({ cache: 'redis', reason })
  }

  private failedWith(error: unknown): undefined {
    // It answered, if only that it will not: no reason to leave it alone.
    if (isRefusal(error)) return this.failed('refused')
    this.failed(error instanceof RedisTimedOut ? 'timed-out' : 'failed')
    if (this.breaker.failed(performance.now()) && this.isUsed) {
      this.leave(error)
      // A new connection: on this one late answers would stand before those that are asked next.
      this.redis.disconnect(true)
    }
  }

  /** A new connection: used as soon as it has shown that it is a Redis, lets us in, and is ours. */
  private async begin(): Promise<void> {
    try {
      await within(this.limits.commandTimeoutMs, takenPossession(this.redis, this.form, this.shown))
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
    this.speaks.metrics.cacheAway.set({ cache: 'redis' }, 0)
    this.speaks.log.info({ event: events.cache.used }, `Redis at ${this.shown} is used`)
  }

  private leave(error: unknown): void {
    const wasUsed = this.isUsed
    this.isUsed = false
    if (this.isClosed) return
    const { kind, message } = redisTrouble(error, this.shown)
    // The close that follows on every trouble says nothing new.
    if (!wasUsed && (this.told === kind || (this.told !== null && kind === 'unreachable'))) return
    this.told = kind
    this.speaks.metrics.cacheAway.set({ cache: 'redis' }, 1)
    this.speaks.log.warn(
      { event: events.cache.away, kind, runbook: runbooks.redisAway },
      `going on without it: ${message}`,
    )
  }
}

const isRefusal = (error: unknown) => error instanceof Error && error.name === 'ReplyError'
