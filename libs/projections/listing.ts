import type { Address } from '../chain/hex.ts'
import { parseInstanceId } from './entities/instance.ts'
import type { Token } from './entities/token.ts'
import { listingId, unlistedId } from './entities/unlisted.ts'
import { editBalance, editNft } from './ownership.ts'
import type { StateDraft } from './state-draft.ts'
import { editToken } from './tokens.ts'

/**
 * Unlisted ones that a message lists at most, besides those that it moves itself. A contract can
 * have gathered any number of them before its first transfer: the rest follow message by message.
 */
export const listedPerMessageMax = 1_000

/** Gives unlisted ones of tokens whose standard is known by now their rows, the oldest first. */
export function listMore(draft: StateDraft): void {
  const { chain } = draft
  let left = listedPerMessageMax
  while (chain.listingsFrom < chain.listingsTo) {
    const id = listingId(chain.listingsFrom)
    const address = draft.listings.read(id)?.token
    if (address === undefined) throw new Error(`listing ${chain.listingsFrom} is missing`)
    const token = editToken(draft, address, null)
    while (token.unlistedFrom < token.unlistedTo) {
      if (left === 0) return
      list(draft, { address, token })
      left -= 1
    }
    draft.listings.remove(id)
    chain.listingsFrom += 1
  }
}

/** It is a token's by now: touched, it takes its standard, and with it its rows. */
function list(draft: StateDraft, { address, token }: { address: Address; token: Token }): void {
  const id = unlistedId(address, token.unlistedFrom)
  const entry = draft.unlisted.read(id)
  if (entry === undefined)
    throw new Error(`unlisted ${token.unlistedFrom} of ${address} is missing`)
  if (entry.kind === 'instance') {
    editNft(draft, { address, token }, parseInstanceId(entry.id).tokenId)
  } else {
    const pair = draft.balances.read(entry.id)
    if (pair?.isKnown) editBalance(draft, entry.id, { token, ordinal: pair.ordinal })
  }
  draft.unlisted.remove(id)
  token.unlistedFrom += 1
}
