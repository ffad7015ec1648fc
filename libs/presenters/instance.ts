import type { Address } from '../chain/hex.ts'
import type { Standard } from '../chain/token.ts'
import { addressOrNull } from './address.ts'
import { checksum } from './checksum.ts'
import type { Known } from './known.ts'
import { mediaOf } from './media.ts'
import { withShownUrls } from './shown-url.ts'
import { tokenAt } from './token.ts'

export interface InstanceKey {
  readonly token: Address
  readonly tokenId: bigint
  /** Stands in where the token's own is not there yet. */
  readonly standard: Standard
}

/** A token instance as every body shows it (2.3). */
export function instanceObject({ token, tokenId, standard }: InstanceKey, known: Known) {
  const { state, facts } = known.instance(token, tokenId)
  const shown = tokenAt(token, standard, known)
  const isUnique = state?.isUnique ?? (shown.type === 'ERC-721' || shown.type === 'ERC-404')
  const owner = isUnique ? (state?.owner ?? null) : null
  return {
    id: tokenId.toString(),
    is_unique: isUnique,
    holder_address_hash: owner === null ? null : checksum(owner),
    owner: addressOrNull(owner, known),
    token: shown,
    metadata: withShownUrls(facts.metadata),
    ...mediaOf(facts),
    thumbnails: null,
  }
}
