import { z } from 'zod'
import type { Address } from '../../libs/chain/hex.ts'
import type { Observation } from '../../libs/chain/observation.ts'
import type { StateQuestion } from '../../libs/ports/node.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import { addressText, integer } from '../../libs/topics/quantities.ts'
import { forgetAll } from './sights.ts'

type Pair = StateQuestion['balances'][number]

const debtForm = z.object({
  token: addressText,
  holder: addressText,
  /** The block after which it was observed at last; null as long as it was not. */
  paidAt: integer.nullable(),
})
type Debt = z.output<typeof debtForm>

const tag = Buffer.from('o')
const keyOf = (token: Address, holder: Address): string => token.slice(2) + holder.slice(2)
const bytesOf = (key: string): Buffer => Buffer.concat([tag, Buffer.from(key, 'hex')])

export interface OwedLimits {
  /** Balances remembered to be asked for later; others stay unknown until they move again. */
  readonly owedBalancesMax: number
  /** Blocks after which an observation cannot be taken back any more. */
  readonly reorganisationDepthMax: number
}

/**
 * Balances that became unknown at blocks whose state the node had lost: they are asked for as of
 * newer blocks, and remembered until no fork can take the observation back.
 */
export class Owed {
  readonly #state: StateStore
  readonly #limits: OwedLimits
  readonly #debts = new Map<string, Debt>()
  readonly #unsaved = new Set<string>()

  constructor(state: StateStore, limits: OwedLimits) {
    this.#state = state
    this.#limits = limits
    for (const { value } of state.scan(tag, limits.owedBalancesMax)) {
      const debt = debtForm.parse(JSON.parse(value.toString()))
      this.#debts.set(keyOf(debt.token, debt.holder), debt)
    }
  }

  /** @returns how many were left out at the bound */
  owe(pairs: readonly Pair[]): number {
    let leftOut = 0
    for (const { token, holder } of pairs) {
      const key = keyOf(token, holder)
      const isFull = !this.#debts.has(key) && this.#debts.size >= this.#limits.owedBalancesMax
      if (isFull) leftOut++
      else this.#set(key, { token, holder, paidAt: null })
    }
    return leftOut
  }

  /** What to ask for next. */
  due(countMax: number): readonly Pair[] {
    const found: Pair[] = []
    for (const { token, holder, paidAt } of this.#debts.values()) {
      if (found.length >= countMax) break
      if (paidAt === null) found.push({ token, holder })
    }
    return found
  }

  /** A contract that does not answer is asked no more. */
  release(asked: readonly Pair[], { balances }: Observation): void {
    const answered = new Set(balances.map(({ token, holder }) => keyOf(token, holder)))
    for (const { token, holder } of asked) {
      const key = keyOf(token, holder)
      if (!answered.has(key) && this.#debts.delete(key)) this.#unsaved.add(key)
    }
  }

  /** An observation stands in the log. */
  pay({ block, balances }: Observation): void {
    for (const { token, holder } of balances) {
      const key = keyOf(token, holder)
      if (this.#debts.has(key)) this.#set(key, { token, holder, paidAt: block })
    }
  }

  /** A block is applied: what was observed long before it is settled. */
  settle(block: number): void {
    for (const [key, { paidAt }] of this.#debts) {
      if (paidAt === null || block - paidAt <= this.#limits.reorganisationDepthMax) continue
      this.#debts.delete(key)
      this.#unsaved.add(key)
    }
  }

  /** A block is left, and what was observed after it is taken back. */
  reopen(block: number): void {
    for (const [key, debt] of this.#debts) {
      if (debt.paidAt !== null && debt.paidAt >= block) this.#set(key, { ...debt, paidAt: null })
    }
  }

  unsaved(): readonly (readonly [Buffer, Buffer | null])[] {
    return [...this.#unsaved].map((key) => {
      const debt = this.#debts.get(key)
      return [bytesOf(key), debt ? Buffer.from(JSON.stringify(debt)) : null] as const
    })
  }

  saved(): void {
    this.#unsaved.clear()
  }

  async forget(): Promise<void> {
    this.#debts.clear()
    this.#unsaved.clear()
    await forgetAll(this.#state, tag)
  }

  #set(key: string, debt: Debt): void {
    this.#debts.set(key, debt)
    this.#unsaved.add(key)
  }
}
