import { toEventSelector } from 'viem'
import { z } from 'zod'
import type { Block, TransactionLog } from '../../../libs/chain/block.ts'
import { coinEmittersOf } from '../../../libs/chain/coin-emitters.ts'
import { type Address, zeroAddress } from '../../../libs/chain/hex.ts'
import type { Pause } from '../../../libs/chain/pauses.ts'
import { removeAll, type StateStore } from '../../../libs/ports/state-store.ts'
import { isRebase, wrappingHolder } from '../../../libs/projections/ledger/transfers.ts'
import { integerNumber } from '../../../libs/topics/quantities.ts'
import type { BalanceRef } from './pending-balances.ts'
import { readTransfers } from './read-transfers.ts'

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

  async noteAllIn(block: Block, pause: Pause): Promise<void> {
    for (const log of logsOfContracts(block)) {
      if (marksNonStandard(log) && !this.has(log.address)) this.#deviate(log.address)
      const paused = pause()
      if (paused !== undefined) await paused
    }
  }

  /** What it returned is not what transfers made of what it returned before. */
  noteDeviating(token: Address): void {
    if (!this.has(token)) this.#deviate(token)
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

/** Events that change the supply without a transfer: Tether's USDT. */
const supplyTopics: ReadonlySet<string | undefined> = new Set([
  toEventSelector('Issue(uint256)'),
  toEventSelector('Redeem(uint256)'),
])

/** Events of Origin's tokens that change balances: the fold does not take them for a rebase. */
const otherRebaseTopics: ReadonlySet<string | undefined> = new Set([
  toEventSelector('TotalSupplyUpdated(uint256,uint256,uint256)'),
  toEventSelector('TotalSupplyUpdatedHighres(uint256,uint256,uint256)'),
])

/** All logs but those of the coin itself. */
export function* logsOfContracts(block: Block): Generator<TransactionLog> {
  const coinEmitters = coinEmittersOf(block)
  for (const { logs } of block.transactions) {
    for (const log of logs) if (!coinEmitters.has(log.address)) yield log
  }
}

/** Whether the token says that its balances have changed, and the supply with them. */
export const isRebaseLog = (log: TransactionLog): boolean =>
  isRebase(log) || otherRebaseTopics.has(log.topics[0])

/** Whether transfers do not explain the balances of the log's token from this log on. */
export const marksNonStandard = (log: TransactionLog): boolean =>
  wrappingHolder(log) !== null || isRebaseLog(log)

const changesSupply = (log: TransactionLog): boolean =>
  supplyTopics.has(log.topics[0]) || isRebaseLog(log)

/**
 * Balances that a block touched of tokens whose balances transfers do not explain, by token; the
 * supply of those that logged a deposit or a withdrawal, and of any token that logged another
 * change of it. Accounts of deposits and withdrawals come first: the others' balances can still be
 * derived if they are not observed.
 */
export async function touchedBalances(
  block: Block,
  deviates: (token: Address) => boolean,
  pause: Pause,
): Promise<ReadonlyMap<Address, readonly BalanceRef[]>> {
  const changed = new Map<Address, Set<Address>>()
  const moved = new Map<Address, Set<Address>>()
  const add = (to: typeof changed, token: Address, holders: readonly Address[]) => {
    const known = to.get(token) ?? new Set()
    for (const holder of holders) if (holder !== zeroAddress) known.add(holder)
    to.set(token, known)
  }
  const isAsked = new Map<Address, boolean>()
  const transfers = await readTransfers(block, pause)
  for (const log of logsOfContracts(block)) {
    const paused = pause()
    if (paused !== undefined) await paused
    const token = log.address
    if (changesSupply(log)) add(changed, token, [])
    const deviating = isAsked.get(token) ?? deviates(token)
    isAsked.set(token, deviating)
    if (!deviating) continue
    const holder = wrappingHolder(log)
    if (holder) add(changed, token, [holder])
    for (const { form, from, to } of transfers.amountsOfLog(log)) {
      if (form === 'ERC-20') add(moved, token, [from, to])
    }
  }
  const tokens = [...new Set([...changed.keys(), ...moved.keys()])]
  return new Map(
    tokens.map((token) => {
      const own = changed.get(token)
      const supply = own ? [null] : []
      const holders = new Set([...(own ?? []), ...supply, ...(moved.get(token) ?? [])])
      return [token, [...holders].map((holder) => ({ token, holder }))] as const
    }),
  )
}
