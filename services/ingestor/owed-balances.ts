import { z } from 'zod'
import type { Address } from '../../libs/chain/hex.ts'
import type { Observation } from '../../libs/chain/observation.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import { addressText, integer } from '../../libs/topics/quantities.ts'
import { forgetAll } from './forget-all.ts'

/** A balance, or the supply of a token where `holder` is null. */
export interface Balance {
  readonly token: Address
  readonly holder: Address | null
}

const debtForm = z.object({
  token: addressText,
  holder: addressText.nullable(),
  /** The first block since which it is unknown. */
  since: integer,
  /** The last block that touched it: what is observed before that tells nothing. */
  touchedAt: integer,
  /** The head when it was observed at last; null as long as it was not. */
  paidAt: integer.nullable(),
})
type Debt = z.output<typeof debtForm>

interface Kept {
  readonly debt: Debt
  readonly isStored: boolean
}

/** Those of one token, by holder; the supply by an empty text. */
interface DebtsOfToken {
  readonly byHolder: Map<string, Kept>
  hasAnswered: boolean
}

const tag = Buffer.from('o')
const noHolder = '0'.repeat(40)
const bytesOf = ({ token, holder }: Balance): Buffer =>
  Buffer.concat([tag, Buffer.from(token.slice(2) + (holder?.slice(2) ?? noHolder), 'hex')])

/** Made free at the bound: looking for what to drop costs more than dropping it. */
const freedShare = 1 / 20

export interface OwedLimits {
  /** Balances remembered to be asked for later; others stay unknown until they move again. */
  readonly owedBalancesMax: number
  /** Blocks after which an observation cannot be taken back any more. */
  readonly reorganisationDepthMax: number
}

type Observed = Pick<Observation, 'block' | 'balances' | 'supplies'>

export interface Due {
  /** Of one token; 0 if it is not to be asked now. */
  readonly countMaxOf: (token: Address) => number
  readonly countMax: number
}

/**
 * Balances that blocks of the log have touched and no observation of the log tells, whoever
 * published it and for whatever reason: they are asked for as of newer blocks. All of it follows
 * from the log, but for what contracts refused to tell. An observation of an older debt is
 * remembered until no fork can take it back.
 */
export class OwedBalances {
  readonly #state: StateStore
  readonly #limits: OwedLimits
  readonly #hasAnswered: (token: Address) => boolean
  readonly #debts = new Map<Address, DebtsOfToken>()
  /** Ascending by block, as observations come. */
  readonly #paid = new Map<string, Balance>()
  readonly #changed = new Map<string, Balance>()
  #count = 0

  constructor(state: StateStore, limits: OwedLimits, hasAnswered: (token: Address) => boolean) {
    this.#state = state
    this.#limits = limits
    this.#hasAnswered = hasAnswered
  }

  /** Reads what was saved. */
  load(): void {
    for (const { value } of this.#state.scan(tag, this.#limits.owedBalancesMax)) {
      this.#put(debtForm.parse(JSON.parse(value.toString())), true)
    }
    this.#changed.clear()
  }

  get count(): number {
    return this.#count
  }

  /** A block touched balances. @returns how many were dropped at the bound */
  touch(block: number, balances: readonly Balance[]): number {
    let dropped = 0
    for (const balance of balances) {
      const known = this.#find(balance)?.debt
      if (!known && this.#count >= this.#limits.owedBalancesMax) dropped += this.#makeRoom()
      const { token, holder } = balance
      // An older block may touch it after a fork.
      const since = Math.min(known?.since ?? block, block)
      this.#put({ token, holder, since, touchedAt: block, paidAt: null })
    }
    return dropped
  }

  /** What to ask for, a list for each token, those longest owed first. */
  due({ countMax, countMaxOf }: Due): readonly (readonly Balance[])[] {
    const lists: Balance[][] = []
    for (const [token, { byHolder }] of this.#debts) {
      if (lists.length >= countMax) break
      const max = Math.min(countMaxOf(token), countMax)
      const list: Balance[] = []
      for (const { debt } of byHolder.values()) {
        if (list.length >= max) break
        if (debt.paidAt === null) list.push({ token, holder: debt.holder })
      }
      if (list.length > 0) lists.push(list)
    }
    return lists
  }

  /** An observation stands in the log, behind the head at that place. */
  pay({ block, balances, supplies }: Observed, head: number): void {
    const paid = [...balances, ...supplies.map(({ token }) => ({ token, holder: null }))]
    for (const balance of paid) {
      const debt = this.#find(balance)?.debt
      // A touch above the head is that of an orphan.
      if (!debt || Math.min(debt.touchedAt, head) > block) continue
      // A fork that takes the observation away takes the debt with it.
      if (debt.since === head) this.#delete(balance)
      else this.#put({ ...debt, paidAt: head })
    }
  }

  /** A block is applied: what was observed long before it is settled. */
  settle(block: number): void {
    for (const balance of this.#paid.values()) {
      const paidAt = this.#find(balance)?.debt.paidAt ?? block
      if (block - paidAt <= this.#limits.reorganisationDepthMax) return
      this.#delete(balance)
    }
  }

  /** A block is left, and what was observed behind it is taken back. */
  reopen(block: number): void {
    for (const balance of [...this.#paid.values()]) {
      const debt = this.#find(balance)?.debt
      if (debt && debt.paidAt !== null && debt.paidAt >= block) this.#put({ ...debt, paidAt: null })
    }
  }

  /** A contract has refused to tell it. */
  release(balance: Balance): void {
    if (this.#find(balance)?.debt.paidAt === null) this.#delete(balance)
  }

  /** A contract tells nothing at all. */
  releaseToken(token: Address): void {
    const debts = [...(this.#debts.get(token)?.byHolder.values() ?? [])]
    for (const { debt } of debts) this.release(debt)
  }

  unsaved(): readonly (readonly [Buffer, Buffer | null])[] {
    return [...this.#changed.values()].map((balance) => {
      const debt = this.#find(balance)?.debt
      return [bytesOf(balance), debt ? Buffer.from(JSON.stringify(debt)) : null] as const
    })
  }

  saved(): void {
    const changed = [...this.#changed.values()]
    for (const balance of changed) {
      const debt = this.#find(balance)?.debt
      if (debt) this.#put(debt, true)
    }
    this.#changed.clear()
  }

  async forget(): Promise<void> {
    this.#debts.clear()
    this.#paid.clear()
    this.#changed.clear()
    this.#count = 0
    await forgetAll(this.#state, tag)
  }

  #find({ token, holder }: Balance): Kept | undefined {
    return this.#debts.get(token)?.byHolder.get(holder ?? '')
  }

  #put(debt: Debt, isStored = this.#isStored(debt)): void {
    const { token, holder } = debt
    let debts = this.#debts.get(token)
    if (!debts) {
      debts = { byHolder: new Map(), hasAnswered: this.#hasAnswered(token) }
      this.#debts.set(token, debts)
    }
    if (!debts.byHolder.has(holder ?? '')) this.#count++
    debts.byHolder.set(holder ?? '', { debt, isStored })
    const key = keyOf(debt)
    this.#changed.set(key, { token, holder })
    this.#paid.delete(key)
    if (debt.paidAt !== null) {
      debts.hasAnswered = true
      this.#paid.set(key, { token, holder })
    }
  }

  /** Of one that is gone again, only what was stored is to be changed. */
  #isStored(balance: Balance): boolean {
    return this.#find(balance)?.isStored ?? this.#changed.has(keyOf(balance))
  }

  /** What was never saved leaves no trace: most debts are paid by the next message. */
  #delete(balance: Balance): void {
    const { token, holder } = balance
    const debts = this.#debts.get(token)
    const known = debts?.byHolder.get(holder ?? '')
    if (!debts || !known) return
    debts.byHolder.delete(holder ?? '')
    if (debts.byHolder.size === 0) this.#debts.delete(token)
    this.#count--
    const key = keyOf(balance)
    this.#paid.delete(key)
    if (known.isStored) this.#changed.set(key, { token, holder })
    else this.#changed.delete(key)
  }

  /**
   * Whoever fills the table gives way: first tokens that never answered, then those with most.
   * @returns how many debts were dropped
   */
  #makeRoom(): number {
    const ranked = [...this.#debts.entries()].sort(
      ([, a], [, b]) =>
        Number(a.hasAnswered) - Number(b.hasAnswered) || b.byHolder.size - a.byHolder.size,
    )
    const wanted = Math.ceil(this.#limits.owedBalancesMax * freedShare)
    let dropped = 0
    for (const [, { byHolder }] of ranked) {
      for (const { debt } of [...byHolder.values()]) {
        if (dropped >= wanted) return dropped
        this.#delete(debt)
        dropped++
      }
    }
    return dropped
  }
}

const keyOf = ({ token, holder }: Balance): string => token + (holder ?? '')
