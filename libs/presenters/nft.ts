import type { nftsByOwner } from '../tables/nfts-by-owner.ts'
import type { Row } from '../tables/table.ts'
import { instanceObject } from './instance.ts'
import { type Lookups, standardAt } from './lookups.ts'

/** An NFT of an address (2.4). */
export function nftObject(row: Row<typeof nftsByOwner>, lookups: Lookups) {
  const standard = standardAt(row.standard)
  return {
    ...instanceObject({ ...row, standard }, lookups),
    token_type: standard,
    value: row.value.toString(),
  }
}
