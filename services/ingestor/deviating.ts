import type { Block } from '../../libs/chain/block.ts'
import type { Address } from '../../libs/chain/hex.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import { wrappedBy } from '../../libs/projections/wrapping.ts'
import { forgetAll } from './sights.ts'

const tag = Buffer.from('d')
const keyOf = (token: Address) => Buffer.concat([tag, Buffer.from(token.slice(2), 'hex')])
const present = Buffer.of(1)

/**
 * The table of contracts whose balances transfers do not explain: they told of a deposit or a
 * withdrawal once. Orphans count: whoever is asked in vain costs a question, not a wrong answer.
 */
export class Deviating {
  readonly #state: StateStore
  readonly #unsaved = new Set<Address>()

  constructor(state: StateStore) {
    this.#state = state
  }

  has(token: Address): boolean {
    return this.#unsaved.has(token) || this.#state.get(keyOf(token)) !== undefined
  }

  noteAllIn({ transactions }: Block): void {
    for (const { logs } of transactions) {
      for (const log of logs) {
        if (wrappedBy(log) !== null && !this.has(log.address)) this.#unsaved.add(log.address)
      }
    }
  }

  unsaved(): readonly (readonly [Buffer, Buffer])[] {
    return [...this.#unsaved].map((token) => [keyOf(token), present] as const)
  }

  saved(): void {
    this.#unsaved.clear()
  }

  async forget(): Promise<void> {
    this.#unsaved.clear()
    await forgetAll(this.#state, tag)
  }
}
