import { z } from 'zod'
import type { Observation } from '../../../libs/chain/block.ts'
import type { Address } from '../../../libs/chain/hex.ts'
import type { StateRef } from '../../../libs/ports/chain-source.ts'
import { removeAll, type StateStore } from '../../../libs/ports/state-store.ts'
import { addressText, integerNumber } from '../../../libs/topics/quantities.ts'

/** A balance, or the supply of a token where `holder` is null. */
export type BalanceRef = Pick<StateRef, 'token' | 'holder'>

const pendingBalanceForm = z.object({
  token: addressText,
  holder: addressText.nullable(),
  /** The first block since which it is unknown. */
  since: integerNumber,
  /** The last block that touched it: an observation as of an earlier block is outdated. */
  touchedAt: integerNumber,
  /** The head when it was observed at last; null as long as it was not. */
  paidAt: integerNumber.nullable(),
})
type PendingBalance = z.output<typeof pendingBalanceForm>

interface PendingEntry {
  readonly pending: PendingBalance
  readonly isStored: boolean
}

/** Those of one token, by holder; the supply by an empty text. */
interface PendingOfToken {
  readonly byHolder: Map<string, PendingEntry>
  hasAnswered: boolean
}

const tag = Buffer.from('o')
const noHolder = '0'.repeat(40)
const bytesOf = ({ token, holder }: BalanceRef): Buffer =>
  Buffer.concat([tag, Buffer.from(token.slice(2) + (holder?.slice(2) ?? noHolder), 'hex')])

/** Made free at the bound: looking for what to drop costs more than dropping it. */
const freedShare = 1 / 20

export interface PendingBalanceLimits {
  /** Balances remembered to be asked for later; others stay unknown until they move again. */
  readonly pendingBalancesMax: number
  /** Blocks after which an observation cannot be taken back any more. */
  readonly reorganisationDepthMax: number
}

type Observed = Pick<Observation, 'block' | 'balances' | 'supplies'>

interface DueOptions {
  /** Of one token; 0 if it is not to be asked now. */
  readonly countMaxOf: (token: Address) => number
  readonly countMax: number
}

/**
 * Balances that blocks of the log have changed and that no observation in the log contains, by any
 * ingestor. They are queried as of newer blocks. All of it is derived from the log, except which
 * contracts failed to answer. A resolved balance is kept until its observation can no longer be
 * reverted by a fork.
 */
export class PendingBalances {
  readonly #state: StateStore
  readonly #limits: PendingBalanceLimits
  readonly #hasAnswered: (token: Address) => boolean
  readonly #pending = new Map<Address, PendingOfToken>()
  /** Ascending by block, as observations come. */
  readonly #resolved = new Map<string, BalanceRef>()
  readonly #changed = new Map<string, BalanceRef>()
  #count = 0

  constructor(
    state: StateStore,
    limits: PendingBalanceLimits,
    hasAnswered: (token: Address) => boolean,
  ) {
    this.#state = state
    this.#limits = limits
    this.#hasAnswered = hasAnswered
  }

  /** Reads what was saved. */
  load(): void {
    for (const { value } of this.#state.scan(tag, this.#limits.pendingBalancesMax)) {
      this.#put(pendingBalanceForm.parse(JSON.parse(value.toString())), true)
    }
    this.#changed.clear()
  }

  get count(): number {
    return this.#count
  }

  /** A block touched balances. @returns how many were dropped at the bound */
  enqueue(block: number, balances: readonly BalanceRef[]): number {
    let dropped = 0
    for (const balance of balances) {
      const known = this.#find(balance)?.pending
      if (!known && this.#count >= this.#limits.pendingBalancesMax) dropped += this.#makeRoom()
      const { token, holder } = balance
      // An older block may touch it after a fork.
      const since = Math.min(known?.since ?? block, block)
      this.#put({ token, holder, since, touchedAt: block, paidAt: null })
    }
    return dropped
  }

  /** What to ask for, a list for each token, those pending longest first. */
  due({ countMax, countMaxOf }: DueOptions): readonly (readonly BalanceRef[])[] {
    const lists: BalanceRef[][] = []
    for (const [token, { byHolder }] of this.#pending) {
      if (lists.length >= countMax) break
      const max = Math.min(countMaxOf(token), countMax)
      const list: BalanceRef[] = []
      for (const { pending } of byHolder.values()) {
        if (list.length >= max) break
        if (pending.paidAt === null) list.push({ token, holder: pending.holder })
      }
      if (list.length > 0) lists.push(list)
    }
    return lists
  }

  /** The log contains an observation; `head` is the newest block at that place. */
  resolve({ block, balances, supplies }: Observed, head: number): void {
    const observed = [...balances, ...supplies.map(({ token }) => ({ token, holder: null }))]
    for (const balance of observed) {
      const pending = this.#find(balance)?.pending
      // A touch above the head is that of an orphan.
      if (!pending || Math.min(pending.touchedAt, head) > block) continue
      // A fork that reverts the observation reverts the change as well.
      if (pending.since === head) this.#delete(balance)
      else this.#put({ ...pending, paidAt: head })
    }
  }

  /** A block is applied: removes balances resolved so long ago that no fork can revert them. */
  dropResolved(block: number): void {
    for (const balance of this.#resolved.values()) {
      const paidAt = this.#find(balance)?.pending.paidAt ?? block
      if (block - paidAt <= this.#limits.reorganisationDepthMax) return
      this.#delete(balance)
    }
  }

  /** A block is reverted: balances observed after it are pending again. */
  reopen(block: number): void {
    for (const balance of [...this.#resolved.values()]) {
      const pending = this.#find(balance)?.pending
      if (pending && pending.paidAt !== null && pending.paidAt >= block)
        this.#put({ ...pending, paidAt: null })
    }
  }

  /** The contract refused to return it. */
  drop(balance: BalanceRef): void {
    if (this.#find(balance)?.pending.paidAt === null) this.#delete(balance)
  }

  /** The contract answers none of the calls. */
  dropToken(token: Address): void {
    const ofToken = [...(this.#pending.get(token)?.byHolder.values() ?? [])]
    for (const { pending } of ofToken) this.drop(pending)
  }

  unsaved(): readonly (readonly [Buffer, Buffer | null])[] {
    return [...this.#changed.values()].map((balance) => {
      const pending = this.#find(balance)?.pending
      return [bytesOf(balance), pending ? Buffer.from(JSON.stringify(pending)) : null] as const
    })
  }

  saved(): void {
    const changed = [...this.#changed.values()]
    for (const balance of changed) {
      const pending = this.#find(balance)?.pending
      if (pending) this.#put(pending, true)
    }
    this.#changed.clear()
  }

  async forget(): Promise<void> {
    this.#pending.clear()
    this.#resolved.clear()
    this.#changed.clear()
    this.#count = 0
    await removeAll(this.#state, tag)
  }

  #find({ token, holder }: BalanceRef): PendingEntry | undefined {
    return this.#pending.get(token)?.byHolder.get(holder ?? '')
  }

  #put(pending: PendingBalance, isStored = this.#isStored(pending)): void {
    const { token, holder } = pending
    let ofToken = this.#pending.get(token)
    if (!ofToken) {
      ofToken = { byHolder: new Map(), hasAnswered: this.#hasAnswered(token) }
      this.#pending.set(token, ofToken)
    }
    if (!ofToken.byHolder.has(holder ?? '')) this.#count++
    ofToken.byHolder.set(holder ?? '', { pending, isStored })
    const key = keyOf(pending)
    this.#changed.set(key, { token, holder })
    this.#resolved.delete(key)
    if (pending.paidAt !== null) {
      ofToken.hasAnswered = true
      this.#resolved.set(key, { token, holder })
    }
  }

  /** A removed entry has to be deleted only if it was stored. */
  #isStored(balance: BalanceRef): boolean {
    return this.#find(balance)?.isStored ?? this.#changed.has(keyOf(balance))
  }

  /** What was never saved leaves no trace: most ofToken are observed by the next message. */
  #delete(balance: BalanceRef): void {
    const { token, holder } = balance
    const ofToken = this.#pending.get(token)
    const known = ofToken?.byHolder.get(holder ?? '')
    if (!ofToken || !known) return
    ofToken.byHolder.delete(holder ?? '')
    if (ofToken.byHolder.size === 0) this.#pending.delete(token)
    this.#count--
    const key = keyOf(balance)
    this.#resolved.delete(key)
    if (known.isStored) this.#changed.set(key, { token, holder })
    else this.#changed.delete(key)
  }

  /**
   * Evicts: first of tokens that never answered, then of those with most entries.
   * @returns how many entries were dropped
   */
  #makeRoom(): number {
    const ranked = [...this.#pending.entries()].sort(
      ([, a], [, b]) =>
        Number(a.hasAnswered) - Number(b.hasAnswered) || b.byHolder.size - a.byHolder.size,
    )
    const wanted = Math.ceil(this.#limits.pendingBalancesMax * freedShare)
    let dropped = 0
    for (const [, { byHolder }] of ranked) {
      for (const { pending } of [...byHolder.values()]) {
        if (dropped >= wanted) return dropped
        this.#delete(pending)
        dropped++
      }
    }
    return dropped
  }
}

const keyOf = ({ token, holder }: BalanceRef): string => token + (holder ?? '')
