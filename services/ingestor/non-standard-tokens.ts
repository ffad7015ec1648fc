import { z } from 'zod'
import type { Block } from '../../libs/chain/block.ts'
import type { Address } from '../../libs/chain/hex.ts'
import { removeAll, type StateStore } from '../../libs/ports/state-store.ts'
import { integerNumber } from '../../libs/topics/quantities.ts'
import { marksNonStandard } from './touched-balances.ts'

const tag = Buffer.from('d')
const keyOf = (token: Address) => Buffer.concat([tag, Buffer.from(token.slice(2), 'hex')])

const nonStandardForm = z.object({
  /** False for a token of which only the supply is queried. */
  deviates: z.boolean(),
  /** It has returned a balance or a supply that is in the log. */
  hasAnswered: z.boolean(),
  /** It returns no number: most contracts with deposits are not tokens. */
  isSilent: z.boolean(),
  /** Consecutive failed or silent queries. */
  failures: integerNumber,
  /** Not queried before this block. */
  againAt: integerNumber,
})
type NonStandardToken = z.output<typeof nonStandardForm>

const unasked: NonStandardToken = {
  deviates: false,
  hasAnswered: false,
  isSilent: false,
  failures: 0,
  againAt: 0,
}

/** Backoff in blocks, doubling from the first to the second value. */
const failedPauses = [2, 4_096] as const
const silentPauses = [16, 65_536] as const

/**
 * Contracts whose balances transfers do not explain: they have logged a deposit, a withdrawal or a
 * rebase. Logs of orphaned blocks count as well: a needless query costs a call, not correctness.
 * What is stored here in addition to the log may be lost: it only costs calls.
 */
export class NonStandardTokens {
  readonly #state: StateStore
  readonly #unsaved = new Map<Address, NonStandardToken>()

  constructor(state: StateStore) {
    this.#state = state
  }

  has(token: Address): boolean {
    return this.#of(token)?.deviates === true
  }

  hasAnswered(token: Address): boolean {
    return this.#of(token)?.hasAnswered === true
  }

  /** Whether it is in backoff after a failed or silent query. */
  isPaused(token: Address, block: number): boolean {
    return block < (this.#of(token)?.againAt ?? 0)
  }

  /** Whether it is currently treated as not being a token. */
  isSilent(token: Address, block: number): boolean {
    return this.#of(token)?.isSilent === true && this.isPaused(token, block)
  }

  noteAllIn({ transactions }: Block): void {
    for (const { logs } of transactions) {
      for (const log of logs) {
        if (marksNonStandard(log) && !this.has(log.address)) this.#deviate(log.address)
      }
    }
  }

  /** The log contains a value that it returned. */
  noteAnswer(token: Address): void {
    const known = this.#of(token)
    if (!known || (known.hasAnswered && !known.isSilent)) return
    const againAt = known.isSilent ? 0 : known.againAt
    this.#unsaved.set(token, { ...known, hasAnswered: true, isSilent: false, againAt })
  }

  /** Records a query as of a block. Of concurrent queries, the first failure counts. */
  noteAsked(token: Address, block: number, outcome: 'answered' | 'failed' | 'silent'): void {
    const known = this.#of(token) ?? unasked
    if (outcome === 'answered') {
      if (known.failures > 0) this.#unsaved.set(token, { ...known, failures: 0, againAt: 0 })
      return
    }
    if (block < known.againAt) return
    const [first, last] = outcome === 'failed' ? failedPauses : silentPauses
    const againAt = block + Math.min(last, first * 2 ** known.failures)
    const failures = known.failures + 1
    this.#unsaved.set(token, { ...known, isSilent: outcome === 'silent', failures, againAt })
  }

  unsaved(): readonly (readonly [Buffer, Buffer])[] {
    return [...this.#unsaved].map(([token, known]) => [
      keyOf(token),
      Buffer.from(JSON.stringify(known)),
    ])
  }

  saved(): void {
    this.#unsaved.clear()
  }

  async forget(): Promise<void> {
    this.#unsaved.clear()
    await removeAll(this.#state, tag)
  }

  #deviate(token: Address): void {
    this.#unsaved.set(token, { ...(this.#of(token) ?? unasked), deviates: true })
  }

  #of(token: Address): NonStandardToken | undefined {
    const unsaved = this.#unsaved.get(token)
    if (unsaved) return unsaved
    const bytes = this.#state.get(keyOf(token))
    return bytes && nonStandardForm.parse(JSON.parse(bytes.toString()))
  }
}
