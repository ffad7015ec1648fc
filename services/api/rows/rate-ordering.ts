import { LRUCache } from 'lru-cache'
import type { Address } from '../../../libs/chain/hex.ts'
import { type Fraction, rateOf } from '../../../libs/presenters/fiat.ts'
import { ratesOfHour } from '../../../libs/queries/token-rates.ts'
import { rateHours, rateHoursKept } from '../../../libs/tables/tables/tokens.ts'
import type { Dependencies } from '../clock/dependencies.ts'
import type { ChangesOffset, InvalidationClock } from '../clock/invalidation-clock.ts'
import type { ReadContext, RunQuestion } from './run-question.ts'

/** Cursors name the hour of their rates by a mark below this; 0: without rates. */
export const marksEnd = 2 ** 19
/** Hours repeat after 59 years: the current hour resolves the mark. */
const hoursEnd = marksEnd - 1

/** Hours by which another process may be ahead of this one. */
const aheadMax = 2

export const markOf = (hour: number): number => (hour === 0 ? 0 : 1 + (hour % hoursEnd))

/** The hour that a mark means: of those with that mark the last one that may have begun. */
function hourOf(mark: number, current: number): number {
  const latest = current + aheadMax
  const back = (((latest - (mark - 1)) % hoursEnd) + hoursEnd) % hoursEnd
  return latest - back
}

/** The rates that order a list of balances. */
export interface Ordering {
  /** Hours since 1970; 0: without rates. */
  readonly hour: number
  readonly rates: ReadonlyMap<Address, Fraction>
  /** The rates of the previous pages have expired: the order changes with this page. */
  readonly isChanged: boolean
}

interface RateOrderingOptions {
  readonly run: RunQuestion
  readonly clock: InvalidationClock
  /** The newest announced hour with rates. */
  readonly rateHour: () => number
  /** The newest one that is written: of use where announcements were missed. */
  readonly writtenRateHour: () => Promise<number>
}

interface Entry {
  /** Null: not found at that offset. */
  readonly rates: ReadonlyMap<Address, Fraction> | null
  readonly readAt: ChangesOffset
}

interface Reading {
  readonly readAt: ChangesOffset
  readonly found: Promise<Entry & { readonly isBehind: boolean }>
}

/** Bound of cached rates, of all hours: some twenty megabytes. */
const cachedRatesMax = 100_000
const family = ratesOfHour.table.name
const none: ReadonlyMap<Address, Fraction> = new Map()

/**
 * The rates of the last hours, which never change once an hour has begun: all pages of a walk use
 * the rates of the hour in which it began, even if rates change meanwhile.
 */
export class RateOrdering {
  private readonly options: RateOrderingOptions
  private readonly entries = new LRUCache<number, Entry>({
    maxSize: cachedRatesMax,
    sizeCalculation: ({ rates }) => 1 + (rates?.size ?? 0),
  })
  private readonly inFlight = new Map<number, Reading>()

  constructor(options: RateOrderingOptions) {
    this.options = options
  }

  /** @param after the cursor; null: the start of the list */
  async orderingAt(
    after: { readonly mark: number } | null,
    { on, context }: { readonly on: Dependencies; readonly context: ReadContext },
  ): Promise<Ordering> {
    if (after?.mark === 0) return { hour: 0, rates: none, isChanged: false }
    const known = this.currentHour(context)
    const current = typeof known === 'number' ? known : await known
    if (after !== null) {
      const hour = hourOf(after.mark, current)
      // Clients may send any hour: expired and future ones are not queried.
      const isStored = hour > Math.max(0, current - rateHoursKept)
      const rates = isStored ? await this.ratesOf(hour, context) : null
      if (rates !== null) return { hour, rates, isChanged: false }
    }
    // The next hour has another order.
    on.on(family, [rateHours])
    const rates = (current > 0 ? await this.ratesOf(current, context) : null) ?? none
    return { hour: rates.size > 0 ? current : 0, rates, isChanged: after !== null }
  }

  /** Hours begin with an announcement, which may be the one that was missed. */
  private currentHour(context: ReadContext): number | Promise<number> {
    const { clock, rateHour, writtenRateHour } = this.options
    if (clock.announcedPosition('dimensions') !== null) return rateHour()
    // All replicas that are asked may be late.
    context.isBehind = true
    return writtenRateHour()
  }

  private async ratesOf(
    hour: number,
    context: ReadContext,
  ): Promise<ReadonlyMap<Address, Fraction> | null> {
    const known = this.entries.get(hour)
    if (known !== undefined && this.isCurrent(known)) return known.rates
    const { rates, readAt, isBehind } = await this.read(hour)
    if (isBehind) context.isBehind = true
    else this.entries.set(hour, { rates, readAt })
    return rates
  }

  /** Found rates never change; missing ones may be added. */
  private isCurrent({ rates, readAt }: Entry): boolean {
    const { clock } = this.options
    return (
      readAt.epoch === clock.now.epoch &&
      (rates !== null || clock.isUnchanged(family, rateHours, readAt))
    )
  }

  /**
   * One query for all waiting requests: not cancelled with one of them. A query that began before
   * the hour was announced may lack its rates, so a request after that has another one.
   */
  private read(hour: number): Reading['found'] {
    const known = this.inFlight.get(hour)
    if (known !== undefined && this.isCurrent({ ...known, rates: null })) return known.found
    const readAt = this.options.clock.now
    const reading = { readAt, found: this.found(hour, readAt) }
    this.inFlight.set(hour, reading)
    return reading.found
  }

  private async found(hour: number, readAt: ChangesOffset): Reading['found'] {
    const context: ReadContext = { isBehind: false }
    try {
      const texts = await this.options.run(ratesOfHour, hour, context)
      return { rates: texts && parsed(texts), readAt, isBehind: context.isBehind }
    } finally {
      if (this.inFlight.get(hour)?.readAt === readAt) this.inFlight.delete(hour)
    }
  }
}

function parsed(texts: ReadonlyMap<Address, string>): ReadonlyMap<Address, Fraction> {
  const rates = new Map<Address, Fraction>()
  for (const [token, text] of texts) {
    const rate = rateOf(text)
    if (rate !== null) rates.set(token, rate)
  }
  return rates
}
