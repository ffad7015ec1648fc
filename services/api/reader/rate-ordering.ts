import { LRUCache } from 'lru-cache'
import type { Address } from '../../../libs/chain/hex.ts'
import { hourOf } from '../../../libs/presenters/cursors/tokens-of-address.ts'
import { type Fraction, rateOf } from '../../../libs/presenters/fiat.ts'
import { rateHoursKept } from '../../../libs/tables/token-rates.ts'
import { rateHours } from '../../../libs/topics/families.ts'
import type { Dependencies } from '../invalidation/dependencies.ts'
import type { ChangesOffset, InvalidationClock } from '../invalidation/invalidation-clock.ts'
import type { ReadContext, ReadsFor } from './reads.ts'

/** By which rates a list of balances is ordered. */
export interface Ordering {
  /** Hours since 1970; 0: by none. */
  readonly hour: number
  readonly rates: ReadonlyMap<Address, Fraction>
  /** The rates of the walk so far are not kept any more: its order changes here. */
  readonly isChanged: boolean
}

interface RateOrderingOptions {
  readonly reads: ReadsFor
  readonly clock: InvalidationClock
  /** The newest hour whose rates are there, as far as it was announced. */
  readonly rateHour: () => number
}

interface Entry {
  /** Null: not there at that moment. */
  readonly rates: ReadonlyMap<Address, Fraction> | null
  readonly moment: ChangesOffset
}

/** Rates kept, of all hours together: some twenty megabytes. */
const ratesKeptMax = 100_000
const family = 'token_rates'
const none: ReadonlyMap<Address, Fraction> = new Map()

/**
 * The rates of the last hours, which never change once an hour has begun: a walk keeps to those of
 * the hour in which it began, whatever becomes of the rates, and however late.
 */
export class RateOrdering {
  private readonly options: RateOrderingOptions
  private readonly entries = new LRUCache<number, Entry>({
    maxSize: ratesKeptMax,
    sizeCalculation: ({ rates }) => 1 + (rates?.size ?? 0),
  })
  private readonly asking = new Map<number, Promise<Entry & { readonly isBehind: boolean }>>()

  constructor(options: RateOrderingOptions) {
    this.options = options
  }

  /** @param after a place in the list; null: its beginning */
  async orderingAt(
    after: { readonly mark: number } | null,
    { on, context }: { readonly on: Dependencies; readonly context: ReadContext },
  ): Promise<Ordering> {
    const current = this.options.rateHour()
    if (after?.mark === 0) return { hour: 0, rates: none, isChanged: false }
    if (after !== null) {
      const hour = hourOf(after.mark, current)
      // Clients may name any hour: those that cannot be there are not asked for.
      const isKept = hour > Math.max(0, current - rateHoursKept)
      const rates = isKept ? await this.ratesOf(hour, context) : null
      if (rates !== null) return { hour, rates, isChanged: false }
    }
    // With the next hour another order begins.
    on.on(family, [rateHours])
    const rates = (current > 0 ? await this.ratesOf(current, context) : null) ?? none
    return { hour: rates.size > 0 ? current : 0, rates, isChanged: after !== null }
  }

  private async ratesOf(
    hour: number,
    context: ReadContext,
  ): Promise<ReadonlyMap<Address, Fraction> | null> {
    const known = this.entries.get(hour)
    if (known !== undefined && this.isUnchanged(known)) return known.rates
    const { rates, moment, isBehind } = await this.ask(hour)
    if (isBehind) context.isBehind = true
    else this.entries.set(hour, { rates, moment })
    return rates
  }

  /** What is there stays as it is; what is not may come. */
  private isUnchanged({ rates, moment }: Entry): boolean {
    const { clock } = this.options
    return (
      moment.epoch === clock.now.epoch &&
      (rates !== null || clock.isUnchanged(family, rateHours, moment))
    )
  }

  /** Asked once, whoever waits: not given up with one of them. */
  private ask(hour: number): Promise<Entry & { readonly isBehind: boolean }> {
    const { clock, reads } = this.options
    const context: ReadContext = { isBehind: false }
    const ask = async () => {
      try {
        const moment = clock.now
        const texts = await reads(context).ratesOfHour(hour)
        return { rates: texts && parsed(texts), moment, isBehind: context.isBehind }
      } finally {
        this.asking.delete(hour)
      }
    }
    const asked = this.asking.get(hour) ?? ask()
    this.asking.set(hour, asked)
    return asked
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
