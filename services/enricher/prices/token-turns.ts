import { LRUCache } from 'lru-cache'
import type { Address } from '../../../libs/chain/hex.ts'
import type { Known } from './judge-figures.ts'
import type { Figures } from './read-answer.ts'

export interface TurnLimits {
  /** Tokens that have a price and are asked for again and again. */
  readonly pricedMax: number
  /** Other tokens that moved lately; those that moved longest ago are forgotten. */
  readonly unpricedMax: number
  /** Between two questions for a token that has a price. */
  readonly everyMs: number
  /** The same for one that has none. */
  readonly unpricedEveryMs: number
}

interface Turn extends Known {
  /** In ms since 1970. */
  readonly dueAt: number
}

const unknown: Known = { published: null, held: null }

/**
 * Which tokens are asked for next. Those with a price and those without share each question, so
 * that neither keeps the other waiting: anybody can make tokens.
 */
export class TokenTurns {
  readonly #limits: TurnLimits
  readonly #onLeftOut: () => void
  readonly #priced = new Map<Address, Turn>()
  readonly #unpriced: LRUCache<Address, Turn>

  /** @param onLeftOut called for a token with a price for which there is no place */
  constructor(limits: TurnLimits, onLeftOut: () => void) {
    this.#limits = limits
    this.#onLeftOut = onLeftOut
    this.#unpriced = new LRUCache({ max: limits.unpricedMax })
  }

  get pricedCount(): number {
    return this.#priced.size
  }

  known(token: Address): Known {
    return this.#priced.get(token) ?? this.#unpriced.peek(token) ?? unknown
  }

  /** A token has moved. */
  note(token: Address): void {
    if (this.#priced.has(token) || this.#unpriced.get(token) !== undefined) return
    this.#unpriced.set(token, { ...unknown, dueAt: 0 })
  }

  /** What was published of it before. */
  restore(token: Address, published: Figures): void {
    this.#filledIn(token, { published, held: null }, 0)
  }

  settle(token: Address, known: Known, now: number): void {
    const { everyMs, unpricedEveryMs } = this.#limits
    this.#filledIn(token, known, now + (hasPrice(known) ? everyMs : unpricedEveryMs))
  }

  /** Those that are due, half of them without a price where there are enough of both. */
  next(now: number, countMax: number): readonly Address[] {
    const priced = dueOf(this.#priced, now, countMax)
    const unpriced = dueOf(this.#unpriced.entries(), now, countMax)
    const half = Math.ceil(countMax / 2)
    const firstMax = Math.max(half, countMax - unpriced.length)
    const first = priced.slice(0, firstMax)
    return [...first, ...unpriced.slice(0, countMax - first.length)]
  }

  #filledIn(token: Address, known: Known, dueAt: number): void {
    const wasPriced = this.#priced.delete(token)
    if (!hasPrice(known)) {
      this.#unpriced.set(token, { ...known, dueAt })
      return
    }
    if (!wasPriced && this.#priced.size >= this.#limits.pricedMax) {
      this.#onLeftOut()
      return
    }
    this.#unpriced.delete(token)
    this.#priced.set(token, { ...known, dueAt })
  }
}

const hasPrice = ({ published }: Known) => published !== null && published.price !== null

/** Those that have been due for longest; of those that were never asked for, the first ones. */
function dueOf(turns: Iterable<readonly [Address, Turn]>, now: number, countMax: number) {
  const due: { readonly token: Address; readonly dueAt: number }[] = []
  for (const [token, { dueAt }] of turns) if (dueAt <= now) due.push({ token, dueAt })
  due.sort((one, other) => one.dueAt - other.dueAt)
  return due.slice(0, countMax).map(({ token }) => token)
}
