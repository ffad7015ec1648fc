import { hasChanged, isLike, type JudgeOptions, type PriceResult } from './judge-figures.ts'

export const now = 'now'
const daySeconds = 86_400

interface CoinTurnsOptions extends JudgeOptions {
  /** First day whose price is asked for; null: none is. */
  readonly from: string | null
  readonly hasNow: boolean
  readonly everyMs: number
}

/** Which prices of the coin are asked for: the present one, and those of days, the newest first. */
export class CoinTurns {
  readonly #options: CoinTurnsOptions
  /** By day, or `now`. */
  readonly #known: Map<string, string>
  readonly #held = new Map<string, string>()
  /** Days that the source did not know, and when they are asked for again. */
  readonly #absent = new Map<string, number>()
  #nowDueAt = 0

  constructor(known: Map<string, string>, options: CoinTurnsOptions) {
    this.#known = known
    this.#options = options
  }

  /** A day (UTC), or `now`; null where none is due. */
  next(at: number): string | null {
    if (this.#options.hasNow && at >= this.#nowDueAt) return now
    return this.nextDay(at)
  }

  nextDay(at: number): string | null {
    const { from } = this.#options
    if (from === null) return null
    for (let day = dayBefore(dayOf(at)); day >= from; day = dayBefore(day)) {
      if (!this.#known.has(day) && at >= (this.#absent.get(day) ?? 0)) return day
    }
    return null
  }

  /** What becomes of that answer; nothing changes. A source that is silent takes nothing away. */
  judged(moment: string, price: string | null): PriceResult {
    if (price === null) return 'none'
    const isNow = moment === now
    const like = this.#known.get(isNow ? now : dayAfter(moment)) ?? null
    const held = this.#held.get(moment) ?? null
    const isConfirmed = held !== null && isLike(held, price, this.#options)
    if (like !== null && !isConfirmed && !isLike(like, price, this.#options)) return 'held'
    return isNow && !hasChanged(like, price) ? 'unchanged' : 'published'
  }

  settle(moment: string, price: string | null, at: number): void {
    const outcome = this.judged(moment, price)
    if (moment === now) this.#nowDueAt = at + this.#options.everyMs
    else if (price === null) this.#absent.set(moment, at + daySeconds * 1_000)
    if (outcome === 'held' && price !== null) this.#held.set(moment, price)
    else this.#held.delete(moment)
    if (outcome === 'published' && price !== null) this.#known.set(moment, price)
  }
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
/** Seconds since 1970 of its beginning. */
export const beginOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1_000
const dayBefore = (day: string) => dayOf((beginOf(day) - daySeconds) * 1_000)
const dayAfter = (day: string) => dayOf((beginOf(day) + daySeconds) * 1_000)
