import { LRUCache } from 'lru-cache'
import type { Address } from '../../../libs/chain/hex.ts'
import type { StateRef } from '../../../libs/ports/chain-source.ts'
import { pairTag } from '../balances/pair-key.ts'

/** Tokens of which it is known where the next turn begins; others begin at their first pair. */
const resumedMax = 10_000

/**
 * Where a round over all pairs is: one pass over all tokens, then more over those whose turns were
 * cut short, until none is left.
 */
export class SweepRound {
  /** Of the keys of pairs: where the next turn begins. */
  cursor: Buffer = pairTag
  /** Pairs that there were to ask for. */
  found = 0
  readonly #cutAt = new LRUCache<Address, Buffer>({ max: resumedMax })
  /** Of a later pass, tokens that still have their turn, the last one first; null in the first. */
  #left: Address[] | null = null

  get isAtBegin(): boolean {
    return this.cursor === pairTag
  }

  /** The turn of a token ends before that key. */
  cut(token: Address, key: Buffer): void {
    this.#cutAt.set(token, key)
  }

  /** Moves to the next turn. @returns false if the pass has no more */
  seek(): boolean {
    if (this.#left === null) return true
    const token = this.#left.at(-1)
    if (token === undefined) return false
    this.cursor = this.#cutAt.get(token) ?? this.cursor
    this.#cutAt.delete(token)
    return true
  }

  /** @returns whether it was the last one of a later pass */
  endTurn(isOver: boolean): boolean {
    const token = this.#left?.at(-1)
    if (this.#left === null || token === undefined) return false
    if (isOver) this.#left.pop()
    else this.#cutAt.set(token, this.cursor)
    return this.#left.length === 0
  }

  /** @returns false if all tokens have been walked to their ends */
  beginsPass(): boolean {
    this.#left = [...this.#cutAt.keys()].sort().reverse()
    return this.#left.length > 0
  }
}

/** What became of one turn. */
export interface Visited {
  readonly looked: number
  readonly isAtEnd: boolean
  /** False where the same token goes on. */
  readonly isTurnOver: boolean
}

/** What a turn may look at, and what it adds to. */
export interface Visit {
  readonly found: StateRef[]
  /** Names of the keys of pairs that are asked for already. */
  readonly taken: Set<string>
  /** Pairs that may be asked for though they are known. */
  readonly again: { left: number }
  readonly countMax: number
  readonly keysMax: number
}
