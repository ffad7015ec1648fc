import type { z } from 'zod'
import type { nftsByOwner } from '../../tables/nfts-by-owner.ts'
import type { Row } from '../../tables/table.ts'
import type { nftsOfAddress } from '../endpoints.ts'
import { standardAt } from '../known.ts'
import { pageSizeOf } from '../parameters/forms.ts'

type Asked = z.output<typeof nftsOfAddress.parameters>

/** The standards that have NFTs, in the order of the list. */
const nftStandards = ['ERC-721', 'ERC-1155', 'ERC-404'] as const

export const pageAsked = (asked: Asked) => ({
  standards: standardsOf(asked),
  after: placeOf(asked),
  size: pageSizeOf(asked),
})

/** A filter without any of them acts as no filter. */
function standardsOf({ type }: Asked) {
  const asked = nftStandards.filter((standard) => type?.includes(standard))
  return asked.length > 0 ? asked : nftStandards
}

/** @returns null for the first page; fungible tokens have no place in this list. */
function placeOf(asked: Asked) {
  const { token_contract_address_hash: token, token_id: tokenId, token_type: standard } = asked
  if (token === null || tokenId === null || standard === null) return null
  return standard === 'ERC-20' ? null : { standard, token, tokenId }
}

export const cursorAfter = (
  last: Row<typeof nftsByOwner>,
  { size }: ReturnType<typeof pageAsked>,
) => ({
  token_contract_address_hash: last.token,
  token_id: last.tokenId.toString(),
  token_type: standardAt(last.standard),
  items_count: size,
})
