import { type EventLog, LogUnavailable } from '../../libs/ports/event-log.ts'
import { type Store, StoreUnavailable } from '../../libs/ports/store.ts'
import { progressOf } from '../../libs/queries/progress.ts'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { hourSeconds, tokenFactKey } from '../../libs/topics/token-facts.ts'
import type { RateBook } from './rate-book.ts'

interface RateHoursOptions {
  readonly rates: () => Pick<RateBook, 'hour' | 'matters'>
  /** Its row of progress has the chain's time. */
  readonly store: Store
  readonly log: Pick<EventLog, 'append'>
  readonly signals: Log
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

  /** Again where facts are folded anew. */
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
        this.options.signals.warn(fields, 'an hour of rates could not be published; trying again')
      }
    } finally {
      this.looking = false
    }
  }

  private async say(): Promise<void> {
    const { store, log } = this.options
    const rates = this.options.rates()
    if (!rates.matters) return
    const time = (await progressOf(store)).get('state')?.timestamp ?? 0
    const hour = Math.floor(time / hourSeconds)
    if (hour <= Math.max(rates.hour, this.said) || this.timer === null) return
    const fact = { kind: 'hour', time, hour } as const
    await log.append('token-facts', [{ key: tokenFactKey(fact), value: encodeMessage(fact) }])
    this.said = hour
  }
}
