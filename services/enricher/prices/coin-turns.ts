import { hasChanged, isLike, type JudgeOptions, type PriceResult } from './judge-figures.ts'

export const now = 'now'
const daySeconds = 86_400

interface CoinTurnsOptions extends Pick<JudgeOptions, 'jumpFactor'> {
  /** First day whose price is asked for; null: none is. */
  readonly from: string | null
  readonly hasNow: boolean
  readonly everyMs: number
  /** Until a day that the source does not know is asked for again. */
  readonly absentMs: number
}

/** Which prices of the coin are asked for: the present one, and those of days, the newest first. */
export class CoinTurns {
  readonly #options: CoinTurnsOptions
  /** By day, or `now`. */
  readonly #known: Map<string, string>
  readonly #held = new Map<string, string>()
  /** By day or `now`: it is not asked for before, in ms of the clock that never jumps. */
  readonly #dueAt = new Map<string, number>()
  #today = ''
  /** Days without a price, the newest first. */
  #missing: readonly string[] = []

  constructor(known: Map<string, string>, options: CoinTurnsOptions) {
    this.#known = known
    this.#options = options
  }

  /** Whether the present price is asked for now. */
  isNowDue(at: number): boolean {
    return this.#options.hasNow && this.#isDue(now, at)
  }

  /** A day (UTC) before today whose price is asked for now; null for none. */
  nextDay(at: number, today: string): string | null {
    if (today !== this.#today) {
      this.#today = today
      this.#missing = this.#missingBefore(today)
    }
    return this.#missing.find((day) => this.#isDue(day, at)) ?? null
  }

  /** What becomes of that answer; nothing changes. A source that is silent takes nothing away. */
  judged(moment: string, price: string | null): PriceResult {
    if (price === null) return 'none'
    const like = this.#nearest(moment)
    const held = this.#held.get(moment) ?? null
    const isConfirmed = held !== null && isLike(held, price, this.#options)
    if (like !== null && !isConfirmed && !isLike(like, price, this.#options)) return 'held'
    return moment === now && !hasChanged(like, price) ? 'unchanged' : 'published'
  }

  settle(moment: string, price: string | null, at: number): void {
    const outcome = this.judged(moment, price)
    const { everyMs, absentMs } = this.#options
    this.#dueAt.set(moment, at + (moment !== now && price === null ? absentMs : everyMs))
    if (outcome === 'held' && price !== null) this.#held.set(moment, price)
    else this.#held.delete(moment)
    if (outcome !== 'published' || price === null) return
    this.#known.set(moment, price)
    if (moment === now) return
    this.#dueAt.delete(moment)
    this.#missing = this.#missing.filter((day) => day !== moment)
  }

  /** It was asked for in vain: others have their turn first. */
  postpone(moment: string, at: number): void {
    this.#dueAt.set(moment, at + this.#options.everyMs)
  }

  #isDue(moment: string, at: number): boolean {
    return at >= (this.#dueAt.get(moment) ?? Number.NEGATIVE_INFINITY)
  }

  /** A known price that this one should be like. */
  #nearest(moment: string): string | null {
    if (moment === now) return this.#known.get(now) ?? null
    const [after, before] = [dayBy(moment, 1), dayBy(moment, -1)]
    const near = this.#known.get(after) ?? this.#known.get(before)
    const isYesterday = after === this.#today
    return near ?? (isYesterday ? (this.#known.get(now) ?? null) : null)
  }

  #missingBefore(today: string): readonly string[] {
    const { from } = this.#options
    const missing: string[] = []
    if (from === null) return missing
    for (let day = dayBy(today, -1); day >= from; day = dayBy(day, -1)) {
      if (!this.#known.has(day)) missing.push(day)
    }
    return missing
  }
}

/** @param at in ms since 1970 */
export const utcDay = (at: number): string => new Date(at).toISOString().slice(0, 10)
/** Seconds since 1970 of its beginning. */
export const beginOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1_000
const dayBy = (day: string, days: number): string =>
  utcDay((beginOf(day) + days * daySeconds) * 1_000)
