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
  /** In ms of the clock that never jumps; negative where it was never asked for. */
  readonly dueAt: number
}

const unknown: Known = { published: null, isOwn: false, held: null }
/** Before all times: more tokens than can be noted. */
const beforeAll = -Number.MAX_SAFE_INTEGER

/** Why a token is not asked for. */
export type LeftOut = 'priced' | 'unpriced'

/**
 * Which tokens are asked for next. Those with a price and those without share each question, so
 * that neither keeps the other waiting: anybody can make tokens.
 */
export class TokenTurns {
  readonly #limits: TurnLimits
  readonly #onLeftOut: (which: LeftOut) => void
  readonly #priced = new Map<Address, Turn>()
  readonly #unpriced: LRUCache<Address, Turn>
  #noted = 0
  #isPricedFirst = true

  /** @param onLeftOut called for a token for which there is no place */
  constructor(limits: TurnLimits, onLeftOut: (which: LeftOut) => void) {
    this.#limits = limits
    this.#onLeftOut = onLeftOut
    this.#unpriced = new LRUCache({
      max: limits.unpricedMax,
      dispose: ({ dueAt }, _, reason) => {
        if (reason === 'evict' && dueAt < 0) onLeftOut('unpriced')
      },
    })
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
    this.#unpriced.set(token, { ...unknown, dueAt: this.#first() })
  }

  /** What was published of it before, by whomever. */
  restore(token: Address, published: Figures): void {
    this.#put(token, { ...unknown, published }, { priced: this.#first(), unpriced: this.#first() })
  }

  settle(token: Address, known: Known, now: number): void {
    const { everyMs, unpricedEveryMs } = this.#limits
    this.#put(token, known, { priced: now + everyMs, unpriced: now + unpricedEveryMs })
  }

  /** It was asked for in vain: others have their turn first. */
  postpone(token: Address, now: number): void {
    const known = this.known(token)
    this.#put(token, known, {
      priced: now + this.#limits.everyMs,
      unpriced: now + this.#limits.everyMs,
    })
  }

  /** Those that are due, half of them without a price where there are enough of both. */
  next(now: number, countMax: number): readonly Address[] {
    const priced = dueOf(this.#priced, now, countMax)
    const unpriced = dueOf(this.#unpriced.entries(), now, countMax)
    const half = this.#isPricedFirst ? Math.ceil(countMax / 2) : Math.floor(countMax / 2)
    const firstMax = Math.max(half, countMax - unpriced.length)
    const first = priced.slice(0, firstMax)
    this.#isPricedFirst = !this.#isPricedFirst
    return [...first, ...unpriced.slice(0, countMax - first.length)]
  }

  #first(): number {
    this.#noted += 1
    return beforeAll + this.#noted
  }

  #put(
    token: Address,
    known: Known,
    dueAt: { readonly priced: number; readonly unpriced: number },
  ) {
    const wasPriced = this.#priced.delete(token)
    const isPriced = known.published !== null && known.published.price !== null
    const hasPlace = wasPriced || this.#priced.size < this.#limits.pricedMax
    if (isPriced && hasPlace) {
      this.#unpriced.delete(token)
      this.#priced.set(token, { ...known, dueAt: dueAt.priced })
      return
    }
    if (isPriced) this.#onLeftOut('priced')
    this.#unpriced.set(token, { ...known, dueAt: dueAt.unpriced })
  }
}

/** Those that have been due for longest; of those that were never asked for, the first ones. */
function dueOf(turns: Iterable<readonly [Address, Turn]>, now: number, countMax: number) {
  const due: { readonly token: Address; readonly dueAt: number }[] = []
  for (const [token, { dueAt }] of turns) if (dueAt <= now) due.push({ token, dueAt })
  due.sort((one, other) => one.dueAt - other.dueAt)
  return due.slice(0, countMax).map(({ token }) => token)
}
