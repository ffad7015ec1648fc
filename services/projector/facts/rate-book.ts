import { type Address, address } from '../../../libs/chain/hex.ts'
import type { Position } from '../../../libs/chain/position.ts'
import { type EventLog, LogUnavailable } from '../../../libs/ports/event-log.ts'
import type { StateStore } from '../../../libs/ports/state-store.ts'
import { type Store, StoreUnavailable } from '../../../libs/ports/store.ts'
import { rateHourRows } from '../../../libs/projections/dimensions.ts'
import { newestTimeOf } from '../../../libs/queries/progress.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import type { TableRow } from '../../../libs/tables/declare/table.ts'
import { ratedTokensMax, rateHourToken } from '../../../libs/tables/tables/tokens.ts'
import { encodeMessage } from '../../../libs/topics/codec.ts'
import {
  hourSeconds,
  type TokenFact,
  tokenFactKey,
} from '../../../libs/topics/facts/token-facts.ts'
import { rateHourKey, rateKey, ratePrefix, tokenOfRate } from '../volume/state-keys.ts'

type Write = readonly [key: Buffer, value: Buffer | null]

interface BookOptions {
  /**
   * The newest hour whose rates are in the tables. Folding facts again must not change its rows:
   * the facts that counted may have been removed by compaction.
   */
  readonly writtenHour?: number
  readonly tokensMax?: number
}

/**
 * The rates of facts, and the newest hour of chain time that has begun. A fact takes effect with
 * the next hour, whatever its own time is: so the rates of an hour never change once it has begun,
 * and every fold of the same facts has the same result.
 */
export class RateBook {
  private readonly rates = new Map<Address, string>()
  private readonly tokensMax: number
  private readonly writtenHour: number
  private writes: Write[] = []
  private begun = { hour: 0, count: 0 }
  private leftOut = 0

  /** @param state what was known when it was committed last; it is never written to here */
  constructor(
    state: StateStore,
    { writtenHour = 0, tokensMax = ratedTokensMax }: BookOptions = {},
  ) {
    this.tokensMax = tokensMax
    this.writtenHour = writtenHour
    for (const { key, value } of state.scan(ratePrefix, tokensMax)) {
      this.rates.set(address(tokenOfRate(key)), value.toString('utf8'))
    }
    const hour = state.get(rateHourKey)
    if (hour !== undefined) this.begun = JSON.parse(hour.toString('utf8'))
  }

  /** The newest hour that has begun; 0 before any. */
  get hour(): number {
    return Math.max(this.begun.hour, this.writtenHour)
  }

  /** Whether the next hour has other rates than none. */
  get matters(): boolean {
    return this.rates.size > 0 || this.begun.count > 0
  }

  get tokens(): number {
    return this.rates.size
  }

  /** Rates received since the last call and dropped because there are too many. */
  takeLeftOut(): number {
    const { leftOut } = this
    this.leftOut = 0
    return leftOut
  }

  /** Rows that follow from a fact. */
  rowsOf(fact: TokenFact, position: Position): TableRow[] {
    if (fact.kind === 'market') this.note(fact.token, fact.exchangeRate)
    if (fact.kind !== 'hour' || fact.hour <= this.begun.hour) return []
    this.begun = { hour: fact.hour, count: this.rates.size }
    this.writes.push([rateHourKey, Buffer.from(JSON.stringify(this.begun), 'utf8')])
    return fact.hour > this.writtenHour ? rateHourRows(fact.hour, this.rates, position) : []
  }

  private note(token: Address, rate: string | null): void {
    if (rate === null) {
      if (this.rates.delete(token)) this.writes.push([rateKey(token), null])
      return
    }
    // Not a token: this key represents the hour.
    if (token === rateHourToken || this.rates.get(token) === rate) return
    if (this.rates.size >= this.tokensMax && !this.rates.has(token)) {
      this.leftOut += 1
      return
    }
    this.rates.set(token, rate)
    this.writes.push([rateKey(token), Buffer.from(rate, 'utf8')])
  }

  /** What the volume must hold to know all that was taken since. */
  beginCommit(): Write[] {
    const { writes } = this
    this.writes = []
    return writes
  }

  /** Forgets all: the facts are about to be folded again. */
  clear(): void {
    this.writes = [...this.rates.keys()].map((token) => [rateKey(token), null])
    this.writes.push([rateHourKey, null])
    this.rates.clear()
    this.begun = { hour: 0, count: 0 }
  }
}

interface RateHoursOptions {
  readonly rates: () => Pick<RateBook, 'hour' | 'matters'>
  /** Its row of progress has the chain's time. */
  readonly store: Store
  readonly eventLog: Pick<EventLog, 'append'>
  readonly log: Log
  readonly everyMs: number
}

/**
 * Publishes to `token-facts` that an hour of chain time has begun. Several processes may publish
 * it: the first message counts. A failed attempt is repeated at the next interval.
 */
export class RateHours {
  private readonly options: RateHoursOptions
  private timer: NodeJS.Timeout | null = null
  private looking = false
  private said = 0

  constructor(options: RateHoursOptions) {
    this.options = options
  }

  /** Also when facts are folded again. */
  start(): void {
    this.stop()
    this.said = 0
    this.timer = setInterval(() => void this.look(), this.options.everyMs)
    this.timer.unref()
    void this.look()
  }

  stop(): void {
    if (this.timer !== null) clearInterval(this.timer)
    this.timer = null
  }

  /** As at each interval. */
  async look(): Promise<void> {
    if (this.looking || this.timer === null) return
    this.looking = true
    try {
      await this.say()
    } catch (error) {
      // An unavailable log or store is reported by the reader of facts.
      if (!(error instanceof LogUnavailable || error instanceof StoreUnavailable)) {
        const fields = { event: events.projector.rateHourFailed, error, runbook: runbooks.rates }
        this.options.log.warn(fields, 'an hour of rates could not be published; trying again')
      }
    } finally {
      this.looking = false
    }
  }

  private async say(): Promise<void> {
    const { store, eventLog } = this.options
    const rates = this.options.rates()
    if (!rates.matters) return
    const time = await newestTimeOf(store, 'state')
    const hour = Math.floor(time / hourSeconds)
    if (hour <= Math.max(rates.hour, this.said) || this.timer === null) return
    const fact = { kind: 'hour', time, hour } as const
    await eventLog.append('token-facts', [{ key: tokenFactKey(fact), value: encodeMessage(fact) }])
    this.said = hour
  }
}
