import { z } from 'zod'
import type { Block } from '../../libs/chain/block.ts'
import type { Address } from '../../libs/chain/hex.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import { integerNumber } from '../../libs/topics/quantities.ts'
import { forgetAll } from './forget-all.ts'
import { marksNonStandard } from './touched-balances.ts'

const tag = Buffer.from('d')
const keyOf = (token: Address) => Buffer.concat([tag, Buffer.from(token.slice(2), 'hex')])

const nonStandardForm = z.object({
  /** False for a token of which only the supply is asked for. */
  deviates: z.boolean(),
  /** It has told a balance or a supply, as the log shows. */
  hasAnswered: z.boolean(),
  /** It answers, but not with a number: most contracts with deposits are no tokens. */
  isSilent: z.boolean(),
  /** Times in a row that it failed to answer, or was silent. */
  failures: integerNumber,
  /** Not asked before this block. */
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

/** Pauses double from the first to the second, in blocks. */
const failedPauses = [2, 4_096] as const
const silentPauses = [16, 65_536] as const

/**
 * The table of contracts whose balances transfers do not explain: they logged a deposit, a
 * withdrawal or a rebase once. Logs of orphaned blocks count: asking needlessly costs a call, not a
 * wrong answer. What is stored here beyond the log may be lost: it costs calls again.
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

  /** Whether it is not to be asked yet, as it failed or was silent. */
  isPaused(token: Address, block: number): boolean {
    return block < (this.#of(token)?.againAt ?? 0)
  }

  /** Whether it is taken for no token for now. */
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

  /** The log holds an answer of it. */
  noteAnswer(token: Address): void {
    const known = this.#of(token)
    if (!known || (known.hasAnswered && !known.isSilent)) return
    const againAt = known.isSilent ? 0 : known.againAt
    this.#unsaved.set(token, { ...known, hasAnswered: true, isSilent: false, againAt })
  }

  /** It was asked as of a block. Of several blocks asked at once, the first failure counts. */
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
    await forgetAll(this.#state, tag)
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
