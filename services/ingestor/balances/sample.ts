import type { Address } from '../../../libs/chain/hex.ts'
import type { BalanceRef } from './pending-balances.ts'

/** Balances and supplies to ask for, each once, up to a number. */
export class Sample {
  readonly #countMax: number
  readonly #refs = new Map<string, BalanceRef>()

  constructor(countMax: number) {
    this.#countMax = countMax
  }

  get refs(): readonly BalanceRef[] {
    return [...this.#refs.values()]
  }

  get tokens(): ReadonlySet<Address> {
    return new Set(this.refs.map(({ token }) => token))
  }

  /** Its supply and a holder. */
  addToken(token: Address, [holder]: Iterable<Address>): void {
    this.#add({ token, holder: null })
    if (holder !== undefined) this.#add({ token, holder })
  }

  /** One holder of each token after the other, so that no token takes all places. */
  addHolders(tokens: readonly Address[], holdersOf: (token: Address) => Iterable<Address>): void {
    if (this.isFull) return
    let open = tokens.map((token) => ({ token, holders: holdersOf(token)[Symbol.iterator]() }))
    while (open.length > 0 && !this.isFull) {
      open = open.filter(({ token, holders }) => {
        const next = holders.next()
        if (next.done !== true) this.#add({ token, holder: next.value })
        return next.done !== true
      })
    }
  }

  get isFull(): boolean {
    return this.#refs.size >= this.#countMax
  }

  #add(ref: BalanceRef): void {
    if (!this.isFull) this.#refs.set(ref.token + (ref.holder ?? ''), ref)
  }
}
