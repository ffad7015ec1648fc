import type { Address } from '../chain/hex.ts'
import type { Standard } from '../chain/token.ts'
import { addressOrNull } from './address.ts'
import { checksum } from './checksum.ts'
import type { Lookups } from './lookups.ts'
import { mediaOf } from './media.ts'
import { withSafeUrls } from './safe-url.ts'
import { tokenAt } from './token.ts'

export interface InstanceKey {
  readonly token: Address
  readonly tokenId: bigint
  /** Stands in where the token's own is not there yet. */
  readonly standard: Standard
}

/** A token instance as every body shows it (2.3). */
export function instanceObject({ token, tokenId, standard }: InstanceKey, lookups: Lookups) {
  const { state, facts } = lookups.instance(token, tokenId)
  const shown = tokenAt(token, standard, lookups)
  const isUnique = state?.isUnique ?? (shown.type === 'ERC-721' || shown.type === 'ERC-404')
  const owner = isUnique ? (state?.owner ?? null) : null
  return {
    id: tokenId.toString(),
    is_unique: isUnique,
    holder_address_hash: owner === null ? null : checksum(owner),
    owner: addressOrNull(owner, lookups),
    token: shown,
    metadata: withSafeUrls(facts.metadata),
    ...mediaOf(facts),
    thumbnails: null,
  }
}
