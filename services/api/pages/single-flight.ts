import { setTimeout as pause } from 'node:timers/promises'
import type { Cache } from '../../../libs/ports/cache.ts'

/** A load of a popular page takes a third of that on an idle machine. */
const leaseMs = 100
/** As long as a lease, as its process may have ended. Few, so that Redis is not busy with them. */
const pausesMs = [10, 20, 30, 40] as const

export type LeaseOutcome = 'taken' | 'waited' | 'waited in vain'

interface SingleFlightOptions {
  readonly cache: Pick<Cache, 'lease' | 'isLeased' | 'release'>
  readonly onLease?: ((outcome: LeaseOutcome) => void) | undefined
  /** Of milliseconds. */
  readonly pause?: ((ms: number) => Promise<void>) | undefined
}

/**
 * Of the processes that miss a page at once, one loads it; the others wait for what it writes to
 * the shared cache, and load it themselves if that takes too long.
 */
export class SingleFlight {
  private readonly options: SingleFlightOptions
  private readonly taken = new Set<string>()

  constructor(options: SingleFlightOptions) {
    this.options = options
  }

  /**
   * @param read reads the page from the shared cache; null unless it is valid
   * @returns what another process wrote; null: this process loads the page
   */
  async before<T>(key: string, read: () => Promise<T | null>): Promise<T | null> {
    const { cache, onLease, pause: paused = pause } = this.options
    if (await this.take(key)) return null
    for (const ms of pausesMs) {
      await paused(ms)
      // Not the entry, which is large, as long as it cannot be there.
      if (await cache.isLeased(key)) continue
      const found = await read()
      if (found !== null) {
        onLease?.('waited')
        return found
      }
      // The other process ended, or what it loaded has changed since.
      if (await this.take(key)) return null
    }
    onLease?.('waited in vain')
    return null
  }

  private async take(key: string): Promise<boolean> {
    const isTaken = await this.options.cache.lease(key, leaseMs)
    if (isTaken) {
      this.taken.add(key)
      this.options.onLease?.('taken')
    }
    return isTaken
  }

  /** The load has ended: what it found was sent to the shared cache before, on one connection. */
  ended(key: string): void {
    if (this.taken.delete(key)) void this.options.cache.release(key)
  }
}
