import { type Address, withoutPrefix, zeroAddress } from '../../chain/hex.ts'
import type { TokenMetadata, Transfer } from '../../chain/token.ts'
import { balanceEntityId } from '../entities/balance.ts'
import {
  type EarlyTransfer,
  earlyTransferId,
  earlyTransferOf,
  earlyTransfersMax,
} from '../entities/early-transfer.ts'
import { instanceId } from '../entities/instance.ts'
import { type Token, tokenEntity } from '../entities/token.ts'
import type { StateReader } from '../group.ts'
import { loseToken, trust } from './doubt.ts'
import { resetInstance, resetPair } from './ownership.ts'
import type { StateDraft } from './state-draft.ts'
import { countsSupply, standardSaid } from './tokens.ts'

/**
 * Transfers can come before the log says what their token is. They are folded by their form, and
 * kept: if the contract is of another standard, they are folded again by that one (decision 61).
 * With the metadata in the message of the first transfer nothing is kept.
 */

interface Place {
  readonly token: Token
  readonly block: number
}

export function keepEarly(draft: StateDraft, transfer: Transfer, { token, block }: Place): void {
  if (token.isSettled || !token.isRepeatable) return
  if (token.early === earlyTransfersMax) {
    token.isRepeatable = false
    return
  }
  const id = earlyTransferId(transfer.token, token.early)
  draft.earlyTransfers.edit(id, () => earlyTransferOf(transfer, block))
  token.early += 1
}

/** Observations or deposits changed what is known of a token: transfers do not explain all. */
export function noteObserved(token: Token): void {
  if (!token.isSettled) token.isRepeatable = false
}

/** Whether a contract can be settled by what the log now says of it. */
const isTelling = (metadata: TokenMetadata): boolean =>
  standardSaid(metadata) !== null || metadata.decimals !== null || metadata.hasCodeBefore === false

/** Kept transfers that a message folds again, at most: each token has its own bound. */
export function repeatedCount(state: StateReader, told: readonly TokenMetadata[]): number {
  let count = 0
  for (const metadata of told) {
    const token = state.get(tokenEntity, withoutPrefix(metadata.address))
    if (token !== undefined && !token.isSettled && isTelling(metadata)) count += token.early
  }
  return count
}

interface Collection {
  readonly address: Address
  readonly token: Token
}

/**
 * The contract has said what it is. Where that contradicts what was folded so far, nothing is known
 * of it any more. @param isNews the log now says that it has the token's whole history: balances
 * that began to move before are known. @returns the transfers to fold again
 */
export function settle(
  draft: StateDraft,
  { address, token, isNews }: Collection & { readonly isNews: boolean },
  metadata: TokenMetadata,
): readonly (Transfer & EarlyTransfer)[] {
  const said = standardSaid(metadata)
  const isSaid = said !== null || metadata.decimals !== null
  if (token.isSettled || !(isSaid || isNews)) return []
  token.isSettled = isSaid
  const standard = said ?? token.standard
  const isAsFolded = standard === token.standard && !token.isMixed
  const isReadAlike = isAsFolded && !(isNews && token.isRepeatable)
  if (!(isReadAlike || token.isRepeatable)) {
    token.standard = standard
    if (!isAsFolded) loseToken(draft, token, metadata.block)
    return []
  }
  const early = takeEarly(draft, { address, token })
  if (isReadAlike) return []
  forgetEarly(draft, { address, token }, early)
  token.standard = standard
  token.isMixed = false
  token.burned = 0
  trust(token)
  if (!draft.observedSupplies.has(token)) {
    token.supply = token.isComplete && standard !== null && countsSupply(standard) ? 0n : null
    token.supplyAt = -1
  }
  return early.map((kept) => ({ ...kept, token: address, logIndex: 0, batchIndex: 0 }))
}

function takeEarly(draft: StateDraft, { address, token }: Collection): readonly EarlyTransfer[] {
  const early: EarlyTransfer[] = []
  for (let number = 0; number < token.early; number++) {
    const id = earlyTransferId(address, number)
    const kept = draft.earlyTransfers.read(id)
    if (kept === undefined) throw new Error(`early transfer ${number} of ${address} is missing`)
    early.push(kept)
    draft.earlyTransfers.remove(id)
  }
  token.early = 0
  return early
}

/** Balances and instances as before the first transfer. */
function forgetEarly(
  draft: StateDraft,
  { address, token }: Collection,
  early: readonly EarlyTransfer[],
): void {
  for (const { from, to, tokenId, value } of early) {
    // An amount may have been read as an id, or the other way round.
    const id = tokenId ?? value
    for (const holder of [from, to]) {
      if (holder === zeroAddress) continue
      resetPair(draft, balanceEntityId({ token: address, holder, tokenId: null }), token)
      resetPair(draft, balanceEntityId({ token: address, holder, tokenId: id }), token)
    }
    resetInstance(draft, instanceId(address, id), token)
  }
}
