import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Cache, LeaseReply } from '../../../libs/ports/cache.ts'

/** A load of a popular page takes a third of that on an idle machine. */
const leaseMs = 100
/** As long as a lease, as its process may have ended. Few, so that Redis is not busy with them. */
const pausesMs = [10, 20, 30, 40] as const

/** Pages that ask or wait at a time: a quarter of the round trips that a connection may have. */
export const askingMax = 64

export const leaseOutcomes = [
  'taken',
  'unanswered',
  'waited',
  'wait timed out',
  'too many',
] as const
export type LeaseOutcome = (typeof leaseOutcomes)[number]

/** In milliseconds, of a clock that never goes backward. */
export interface Time {
  readonly now: () => number
  readonly pause: (ms: number) => Promise<void>
}

const realTime: Time = { now: () => performance.now(), pause: (ms) => setTimeout(ms) }

interface SingleFlightOptions {
  readonly cache: Pick<Cache, 'lease' | 'isLeased' | 'release'>
  readonly onLease?: ((outcome: LeaseOutcome) => void) | undefined
  readonly time?: Time | undefined
}

/**
 * Of the processes that miss a page at once, one loads it; the others wait for what it writes to
 * the shared cache, and load it themselves if that takes too long.
 */
export class SingleFlight {
  private readonly options: SingleFlightOptions
  /** This process: it loads a page once at a time. */
  private readonly owner = randomUUID()
  private readonly asked = new Set<string>()
  private asking = 0

  constructor(options: SingleFlightOptions) {
    this.options = options
  }

  /**
   * @param read reads the page from the shared cache; null unless it is valid
   * @returns what another process wrote; null: this process loads the page
   */
  async before<T>(key: string, read: () => Promise<T | null>): Promise<T | null> {
    if (this.asking >= askingMax) {
      this.options.onLease?.('too many')
      return null
    }
    this.asking += 1
    try {
      return await this.ofAnother(key, read)
    } finally {
      this.asking -= 1
    }
  }

  private async ofAnother<T>(key: string, read: () => Promise<T | null>): Promise<T | null> {
    const { cache, onLease, time = realTime } = this.options
    if ((await this.take(key)) !== 'held') return null
    const until = time.now() + leaseMs
    for (const ms of pausesMs) {
      await time.pause(ms)
      // Not the entry, which is large, as long as it cannot be there.
      const isLeased = await cache.isLeased(key)
      const found = isLeased ? null : await read()
      if (found !== null) {
        onLease?.('waited')
        return found
      }
      // The other process ended, or what it loaded has changed since.
      if (!isLeased && (await this.take(key)) !== 'held') return null
      // Redis answers slowly, or this process is busy.
      if (time.now() >= until) break
    }
    onLease?.('wait timed out')
    return null
  }

  private async take(key: string): Promise<LeaseReply> {
    const { cache, onLease } = this.options
    this.asked.add(key)
    const answer = await cache.lease(key, this.owner, leaseMs)
    if (answer === 'held') this.asked.delete(key)
    else onLease?.(answer)
    return answer
  }

  /**
   * The load has ended: what it found was sent to the shared cache before, on one connection. A
   * lease without an answer may have been taken.
   */
  ended(key: string): void {
    if (this.asked.delete(key)) void this.options.cache.release(key, this.owner)
  }
}
