import type { nftsByOwner } from '../tables/nfts-by-owner.ts'
import type { Row } from '../tables/table.ts'
import { instanceObject } from './instance.ts'
import { type Known, standardAt } from './known.ts'

/** An NFT of an address (2.4). */
export function nftObject(row: Row<typeof nftsByOwner>, known: Known) {
  const standard = standardAt(row.standard)
  return {
    ...instanceObject({ ...row, standard }, known),
    token_type: standard,
    value: row.value.toString(),
  }
}
