import type { Block, Transaction } from '../../chain/block.ts'
import { type Address, withoutPrefix } from '../../chain/hex.ts'
import type { Balance } from '../entities/balance.ts'
import type { Token } from '../entities/token.ts'
import type { StateDraft } from './state-draft.ts'

/**
 * Decision 64: a balance below zero, a supply that contradicts its holders, or an observed balance
 * that is not the known one proves that transfers do not explain a token. From then on only what
 * is observed of it is shown (`shownSince`), and what is observed of its other holders decides.
 * What transfers add up to is kept meanwhile: where they turn out to explain the rest, it is shown
 * again, without a row being written. All of it follows from the log.
 */

/** Pairs that have to be as transfers say before a token is sound; of fewer holders all. */
export const confirmedMin = 8

/** A block number that no observation has: nothing is shown. */
const never = Number.MAX_SAFE_INTEGER

const isInDoubt = ({ shownSince }: Token): boolean => shownSince > 0

/** The `observedAt` of what was observed after a block; only of a token in doubt it matters. */
export const observedAtOf = (token: Token, block: number): number => (isInDoubt(token) ? block : 0)

/**
 * Hides what was not observed after `block` or later. A token that was in doubt before, whatever
 * its verdict, deviates.
 */
function doubt(token: Token, block: number): void {
  if (token.verdict === 'restless') return
  token.verdict = token.verdict === 'none' ? 'open' : 'deviating'
  token.confirmed = 0
  token.shownSince = Math.max(1, token.shownSince, block)
}

/** The supply that transfers add up to is unknown at the end of `block`. */
function forgetSupply(draft: StateDraft, token: Token, block: number): void {
  if (block < token.supplyAt || draft.observedSupplies.has(token)) return
  token.supply = null
  token.supplyAt = block
}

/** Nothing that follows from the transfers of a token is known: only what is observed is shown. */
export function loseToken(draft: StateDraft, token: Token, block: number): void {
  doubt(token, block)
  if (token.verdict === 'open') token.verdict = 'deviating'
  forgetSupply(draft, token, block)
}

/** No doubt that transfers raised is left: they are folded again. */
export function trust(token: Token): void {
  token.verdict = 'none'
  token.shownSince = 0
  token.confirmed = 0
}

/** Transfers did not explain the balance of a pair: once that is known, it proves nothing more. */
export function notePairDeviates(
  { draft, token }: { readonly draft: StateDraft; readonly token: Token },
  pair: Balance,
  block: number,
): void {
  if (pair.deviates) return
  pair.deviates = true
  doubt(token, block)
  forgetSupply(draft, token, block)
}

/** Compares what a node returned with what is known. Called before the pair takes the value. */
export function judgeObserved(
  { draft, token }: { readonly draft: StateDraft; readonly token: Token },
  pair: Balance,
  { value, block }: { readonly value: bigint; readonly block: number },
): void {
  if (!pair.isKnown) return
  const wasShown = isInDoubt(token) && pair.observedAt >= token.shownSince
  if (pair.value === value) {
    if (token.verdict === 'open' && !wasShown && value > 0n) token.confirmed += 1
    return
  }
  if (!wasShown) {
    // Ids of a collection have changed hands in silence: no owner is known any more.
    if (pair.deviates && token.standard === 'ERC-721') loseToken(draft, token, block)
    else notePairDeviates({ draft, token }, pair, block)
    return
  }
  // Nothing has moved it since it was observed, so all that was observed before may be wrong too.
  if (pair.observedAt >= token.calledAt) token.verdict = 'restless'
  token.shownSince = token.verdict === 'restless' ? never : Math.max(token.shownSince, block)
  forgetSupply(draft, token, block)
}

/** Contracts that a transaction called, as far as the log tells, and those that logged anything. */
function* calledIn({ to, logs, calls }: Transaction): Iterable<Address> {
  if (to !== null) yield to
  for (const { address } of logs) yield address
  for (const call of calls ?? []) if (call.to !== null) yield call.to
}

/** What a token that was ever in doubt returned before it was called may be outdated. */
export function* noteCalls(draft: StateDraft, block: Block): Generator<StateDraft> {
  const noted = new Set<Address>()
  for (const transaction of block.transactions) {
    for (const address of calledIn(transaction)) {
      if (!noted.has(address)) noteCall(draft, address, block.number)
      noted.add(address)
      yield draft
    }
  }
}

function noteCall(draft: StateDraft, address: Address, block: number): void {
  const id = withoutPrefix(address)
  const stored = draft.tokens.read(id)
  if (stored === undefined || stored.verdict === 'none') return
  const token = draft.tokens.edit(id, () => ({ ...stored }))
  token.calledAt = block
  forgetSupply(draft, token, block)
}

const isExceeded = ({ held, supply }: Token): boolean => supply !== null && held > supply

/** All balances of a token that has one amount a holder are known, and add up to what there is. */
const isExplained = ({ standard, isComplete, held, supply, unknowns }: Token): boolean =>
  isComplete &&
  unknowns === 0 &&
  supply === held &&
  (standard === 'ERC-20' || standard === 'ERC-721')

/**
 * The last step of a message's fold: a supply below the sum of known balances is unknown until it
 * is observed (decision 55), doubts begin, and a sample that is large enough ends them.
 */
export function judgeTokens(draft: StateDraft, block: number): void {
  for (const [, { before, after: token }] of draft.tokens.touched()) {
    // A supply as of a later block may hold burns that are still to come.
    const isContradicted = isExceeded(token) && token.supplyAt <= block
    if (token.verdict === 'none' && isContradicted) doubt(token, block)
    const { confirmed, holders } = token
    const isSampled = confirmed >= confirmedMin || (confirmed >= holders - 1 && isExplained(token))
    if (token.verdict === 'open' && isSampled) {
      token.verdict = 'sound'
      token.shownSince = 0
    }
    const isNews = isExceeded(token) && (before === undefined || !isExceeded(before))
    if (!isNews || draft.observedSupplies.has(token)) continue
    token.supply = null
    token.supplyAt = Math.max(token.supplyAt, block)
  }
}

/** Not all that a token says there is is held: a collection may count the ids that were burned. */
function isShort({ standard, held, burned, supply }: Token): boolean {
  if (supply === null || supply === held) return false
  return standard === 'ERC-20' || (standard === 'ERC-721' && supply !== held + BigInt(burned))
}

/**
 * Distinct holders (decision 36), where all balances are known. Where a token reports that there is
 * more than they have together, somebody got some without a transfer.
 */
export function holdersCountOf(token: Token): number | null {
  const { isComplete, unknowns, shownSince, verdict, supply, holders } = token
  if (!isComplete || token.isMixed || unknowns > 0 || shownSince > 0) return null
  return isShort(token) || (verdict === 'sound' && supply === null) ? null : holders
}

/** What changes while nobody calls it is never known to be still right. */
export const supplyOf = ({ verdict, supply }: Token): bigint | null =>
  verdict === 'restless' ? null : supply
