import type { Address } from '../../libs/chain/hex.ts'
import type { Standard } from '../../libs/chain/token.ts'
import type { BlockApplied } from '../../libs/topics/blocks.ts'

interface Doubt {
  verdict: 'open' | 'sound' | 'deviating' | 'restless'
  /** Only what was observed after this block or later is shown; 0: all. */
  since: number
  calledAt: number
  confirmed: number
}

/** An amount, as it is known before it is observed. */
export interface JudgedHolding {
  readonly token: Address
  readonly value: bigint
  readonly isKnown: boolean
  readonly observedAt: number
  deviates: boolean
}

interface Observed {
  readonly value: bigint
  readonly block: number
  /** ERC-721 */
  readonly isCollection: boolean
}

const hasOneAmount = (standard: Standard | null): boolean =>
  standard === 'ERC-20' || standard === 'ERC-721'

/** What a message made of a token: all of its balances together. */
export interface TokenTotals {
  readonly standard: Standard | null
  readonly isComplete: boolean
  readonly held: bigint
  /** Ids of an ERC-721. */
  readonly burned: bigint
  readonly holders: number
  readonly unknowns: number
  readonly supply: bigint | null
  readonly supplyAt: number
}

/** Decision 64: which tokens transfers do not explain, and what is shown of them. */
export class Doubts {
  readonly #of = new Map<Address, Doubt>()
  /** Tokens whose supply the message has made unknown: by a call, by a balance. */
  called: ReadonlySet<Address> = new Set()
  readonly contradicted = new Set<Address>()

  shows({ token, observedAt }: { readonly token: Address; readonly observedAt: number }): boolean {
    return observedAt >= (this.#of.get(token)?.since ?? 0)
  }

  /** The `observedAt` of what is observed after a block. */
  observedAt(token: Address, block: number): number {
    return (this.#of.get(token)?.since ?? 0) > 0 ? block : 0
  }

  isRestless(token: Address): boolean {
    return this.#of.get(token)?.verdict === 'restless'
  }

  /** The number of holders is known where all that is, is held by known ones. */
  countsHolders(token: Address, totals: TokenTotals): boolean {
    const { isComplete, unknowns, standard, supply, held } = totals
    const doubt = this.#of.get(token)
    if (!isComplete || unknowns > 0 || (doubt && doubt.verdict !== 'sound')) return false
    const mayBe = standard === 'ERC-721' ? [held, held + totals.burned] : [held]
    if (hasOneAmount(standard) && supply !== null && !mayBe.includes(supply)) return false
    return doubt === undefined || supply !== null
  }

  /** A block was applied: what was observed of odd tokens before they were called may be old. */
  begin(message?: BlockApplied): void {
    this.contradicted.clear()
    const called = new Set<Address>()
    for (const { to, logs, calls } of message?.block.transactions ?? []) {
      const callees = (calls ?? []).map((call) => call.to)
      for (const at of [to, ...callees, ...logs.map(({ address }) => address)]) {
        const doubt = at === null ? undefined : this.#of.get(at)
        if (at === null || doubt === undefined || message === undefined) continue
        doubt.calledAt = message.block.number
        called.add(at)
      }
    }
    this.called = called
  }

  /** A known owner's id was sent by somebody else, whose count was wrong before. */
  deviatesAgain(holding: JudgedHolding, block: number): void {
    const isMore = holding.deviates && this.#of.get(holding.token)?.verdict === 'sound'
    if (isMore) this.#raise(holding.token, block)
    if (isMore) this.contradicted.add(holding.token)
    else this.deviates(holding, block)
  }

  /** A balance is not what transfers add up to. */
  deviates(holding: JudgedHolding, block: number): void {
    if (holding.deviates) return
    holding.deviates = true
    this.#raise(holding.token, block)
    this.contradicted.add(holding.token)
  }

  observed(holding: JudgedHolding, { value, block, isCollection }: Observed): void {
    if (!holding.isKnown) return
    const doubt = this.#of.get(holding.token)
    const wasShown = doubt !== undefined && doubt.since > 0 && holding.observedAt >= doubt.since
    if (holding.value === value) {
      if (doubt?.verdict === 'open' && !wasShown && value > 0n) doubt.confirmed += 1
    } else if (isCollection && holding.deviates && !wasShown) {
      this.#raise(holding.token, block, 'deviating')
      this.contradicted.add(holding.token)
    } else if (doubt === undefined || !wasShown) {
      this.deviates(holding, block)
    } else {
      if (holding.observedAt >= doubt.calledAt) doubt.verdict = 'restless'
      const since = doubt.verdict === 'restless' ? Number.MAX_SAFE_INTEGER : block
      doubt.since = Math.max(doubt.since, since)
      this.contradicted.add(holding.token)
    }
  }

  /** After a message about a token. */
  judge(token: Address, totals: TokenTotals, block: number): void {
    const { supply, held, supplyAt } = totals
    const isExceeded = supply !== null && held > supply && supplyAt <= block
    if (isExceeded && !this.#of.has(token)) this.#raise(token, block)
    const doubt = this.#of.get(token)
    if (doubt?.verdict !== 'open') return
    const { isComplete, unknowns, standard } = totals
    const isAll = isComplete && unknowns === 0 && supply === held && hasOneAmount(standard)
    if (doubt.confirmed < 8 && !(isAll && doubt.confirmed >= totals.holders - 1)) return
    doubt.verdict = 'sound'
    doubt.since = 0
  }

  #raise(token: Address, block: number, first: 'open' | 'deviating' = 'open'): void {
    const known = this.#of.get(token)
    if (known?.verdict === 'restless') return
    const verdict = known === undefined ? first : 'deviating'
    const since = Math.max(1, known?.since ?? 0, block)
    this.#of.set(token, { verdict, since, confirmed: 0, calledAt: known?.calledAt ?? -1 })
  }
}
