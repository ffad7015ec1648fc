import { withoutPrefix } from '../../chain/hex.ts'
import type { Standard } from '../../chain/token.ts'
import { type Balance, type BalanceKey, holdingId, parseBalanceId } from '../entities/balance.ts'
import { instanceId } from '../entities/instance.ts'
import type { Token } from '../entities/token.ts'
import { loseToken } from './doubt.ts'
import type { StateDraft } from './state-draft.ts'
import { editToken } from './tokens.ts'

/** Whether a token of that standard has amounts or instances; both while it is unknown. */
export function fits(standard: Standard | null, isInstance: boolean): boolean {
  if (standard === null || standard === 'ERC-404') return true
  return isInstance === (standard === 'ERC-1155')
}

/** A holder's known balance; zero if the balance or the token's standard is unknown. */
export const heldValue = (balance: Balance | undefined, isInstance: boolean): bigint =>
  balance?.isKnown && balance.standard !== null && fits(balance.standard, isInstance)
    ? balance.value
    : 0n

interface BalanceEdit {
  readonly key: BalanceKey
  readonly before: Balance | undefined
  readonly after: Balance
}

/**
 * Holders of an ERC-1155 id: their XOR is the holder's address if there is only one.
 * @returns whether no count came out below zero
 */
function countInInstance(draft: StateDraft, { key, before, after }: BalanceEdit): boolean {
  // The standard of a token, and of its pairs, changes where its transfers are folded again.
  const [was, is] = [before?.standard === 'ERC-1155', after.standard === 'ERC-1155']
  if (key.tokenId === null || !(was || is)) return true
  const id = instanceId(key.token, key.tokenId)
  const stored = draft.instances.read(id)
  if (stored === undefined) return true
  const instance = draft.instances.edit(id, () => ({ ...stored }))
  const had = was ? heldValue(before, true) : 0n
  const has = is ? heldValue(after, true) : 0n
  const held = instance.held + has - had
  const unknowns = instance.unknowns + (is ? unknownIn(after) : 0) - (was ? unknownIn(before) : 0)
  instance.held = atLeastZero(held)
  instance.unknowns = Math.max(0, unknowns)
  if (had > 0n !== has > 0n) instance.holdersXor ^= BigInt(key.holder)
  return held >= 0n && unknowns >= 0
}

const unknownIn = (balance: Balance | undefined): 0 | 1 =>
  balance !== undefined && balance.standard !== null && !balance.isKnown ? 1 : 0

/** A pair that exists is unknown until its balance is known, whatever its token's standard. */
const unknownPairIn = (balance: Balance | undefined): 0 | 1 =>
  balance === undefined || balance.isKnown ? 0 : 1

/**
 * Distinct addresses with a known balance above zero, of any id (decision 36).
 * @returns whether no count came out below zero
 */
function countHolder(draft: StateDraft, { key, before, after }: BalanceEdit): boolean {
  const isInstance = key.tokenId !== null
  const [had, has] = [heldValue(before, isInstance), heldValue(after, isInstance)]
  const [was, is] = [isCountedByPart(before?.standard), isCountedByPart(after.standard)]
  const unknowns = unknownPairIn(after) - unknownPairIn(before)
  // A standard that a contract says late can be one whose holders are counted otherwise.
  if (had === has && was === is && unknowns === 0) return true
  const stored = draft.tokens.read(withoutPrefix(key.token))
  if (stored === undefined) return true
  const token = draft.tokens.edit(withoutPrefix(key.token), () => ({ ...stored }))
  // What a gap invalidates is not counted one by one: no holders are counted after it.
  token.unknowns = Math.max(0, token.unknowns + unknowns)
  const held = isInstance ? token.held : token.held + has - had
  token.held = atLeastZero(held)
  if (was === is && had > 0n === has > 0n) return held >= 0n
  const isLeft = had === 0n || count({ draft, token, key }, { step: -1, isByPart: was })
  if (has > 0n) count({ draft, token, key }, { step: 1, isByPart: is })
  return held >= 0n && isLeft
}

const atLeastZero = (amount: bigint): bigint => (amount < 0n ? 0n : amount)

/** A holder can have several balances of the token, one of each id. */
const isCountedByPart = (standard: Standard | null | undefined): boolean =>
  standard !== 'ERC-20' && standard !== 'ERC-721'

/** @returns false, and counts nothing, where that would be less than none */
function count(
  { draft, token, key }: { draft: StateDraft; token: Token; key: BalanceKey },
  { step, isByPart }: { step: 1 | -1; isByPart: boolean },
): boolean {
  if (isByPart) {
    const id = holdingId(key.token, key.holder)
    const holding = draft.holdings.edit(id, () => ({ count: 0, knownFrom: token.knownFrom }))
    if (holding.count + step < 0) return false
    holding.count += step
    if (holding.count !== (step > 0 ? 1 : 0)) return true
  }
  if (token.holders + step < 0) return false
  token.holders += step
  return true
}

/**
 * Updates the counters from a message's changed balances; the last step of its fold. A count below
 * zero contradicts what was folded before, and nothing stores it: of such a token only what is
 * observed is shown, so that one contract never ends the fold of a chain.
 */
export function* countHolders(draft: StateDraft, block: number): Generator<StateDraft> {
  for (const [id, { before, after }] of draft.balances.touched()) {
    const edit = { key: parseBalanceId(id), before, after }
    const isInstanceCounted = countInInstance(draft, edit)
    const isHolderCounted = countHolder(draft, edit)
    if (!(isInstanceCounted && isHolderCounted)) {
      loseToken(draft, editToken(draft, edit.key.token, null), block)
    }
    yield draft
  }
}
