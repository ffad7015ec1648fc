import type { Address } from '../chain/hex.ts'
import type { Token } from './entities/token.ts'
import { listingId, type Unlisted, unlistedId } from './entities/unlisted.ts'
import type { StateDraft } from './state-draft.ts'

/**
 * What is known of an address without a known standard gets its rows when the standard is known, by
 * `listing.ts`. What is unknown has no rows either way and is not stored here: deposits at a
 * contract that is not a token leave no work, however many they are.
 */
export function noteUnlisted(
  draft: StateDraft,
  { address, token }: { readonly address: Address; readonly token: Token },
  entry: Unlisted,
): void {
  draft.unlisted.edit(unlistedId(address, token.unlistedTo), () => entry)
  token.unlistedTo += 1
}

/** The token has a standard from now on. */
export function queueListing(draft: StateDraft, address: Address, token: Token): void {
  if (token.unlistedFrom === token.unlistedTo) return
  const { chain } = draft
  draft.listings.edit(listingId(chain.listingsTo), () => ({ token: address }))
  chain.listingsTo += 1
}
