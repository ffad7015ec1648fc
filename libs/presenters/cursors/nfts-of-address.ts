import type { z } from 'zod'
import type { nftsByOwner } from '../../tables/nfts-by-owner.ts'
import type { Row } from '../../tables/table.ts'
import type { nftsOfAddress } from '../endpoints.ts'
import { standardAt } from '../lookups.ts'
import { pageSizeOf } from '../parameters/forms.ts'

type QueryParameters = z.output<typeof nftsOfAddress.parameters>

/** The standards that have NFTs, in the order of the list. */
const nftStandards = ['ERC-721', 'ERC-1155', 'ERC-404'] as const

export const pageRequest = (parameters: QueryParameters) => ({
  standards: standardsOf(parameters),
  after: placeOf(parameters),
  size: pageSizeOf(parameters),
})

/** A filter without any of them acts as no filter. */
function standardsOf({ type }: QueryParameters) {
  const parameters = nftStandards.filter((standard) => type?.includes(standard))
  return parameters.length > 0 ? parameters : nftStandards
}

/** @returns null for the first page; fungible tokens have no place in this list. */
function placeOf(parameters: QueryParameters) {
  const { token_contract_address_hash: token, token_id: tokenId, token_type: standard } = parameters
  if (token === null || tokenId === null || standard === null) return null
  return standard === 'ERC-20' ? null : { standard, token, tokenId }
}

export const cursorAfter = (
  last: Row<typeof nftsByOwner>,
  { size }: ReturnType<typeof pageRequest>,
) => ({
  token_contract_address_hash: last.token,
  token_id: last.tokenId.toString(),
  token_type: standardAt(last.standard),
  items_count: size,
})
