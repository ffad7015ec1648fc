import { z } from 'zod'
import { nftsBody } from '../../../libs/presenters/list-bodies.ts'
import { standardAt } from '../../../libs/presenters/lookups.ts'
import { nftObject } from '../../../libs/presenters/objects/instance.ts'
import * as forms from '../../../libs/presenters/parameters.ts'
import { nftsOfAddress } from '../../../libs/queries/nfts-of-address/nfts-of-address.ts'
import type { Row } from '../../../libs/tables/declare/table.ts'
import type { nftsByOwner } from '../../../libs/tables/tables/instances.ts'
import { References } from '../rows/references.ts'
import { ofAddress } from './pipeline/route.ts'
import { shownInList } from './shown-rows.ts'

const parameters = z.object({
  type: forms.standardsList.describe('Only tokens of these standards.'),
  token_contract_address_hash: forms.addressParameter.describe('Cursor: token of the last item.'),
  token_id: forms.amount.describe('Cursor: id of the last item.'),
  token_type: forms.standard.describe('Cursor: standard of the last item.'),
  items_count: forms.itemsCount,
})
type QueryParameters = z.output<typeof parameters>

/** The standards that have NFTs, in the order of the list. */
const nftStandards = ['ERC-721', 'ERC-1155', 'ERC-404'] as const

const pageRequest = (parameters: QueryParameters) => ({
  standards: standardsOf(parameters),
  after: placeOf(parameters),
  size: forms.pageSizeOf(parameters),
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

const cursorAfter = (
  last: Row<typeof nftsByOwner>,
  { standards, size }: ReturnType<typeof pageRequest>,
) => ({
  ...forms.typeKey(standards, nftStandards),
  token_contract_address_hash: last.token,
  token_id: last.tokenId.toString(),
  token_type: standardAt(last.standard),
  items_count: size,
})

export const nftsOfAddressRoute = ofAddress.list({
  path: '/api/v2/addresses/{address_hash}/nft',
  mayBeUnknown: false,
  operationId: 'nftsOfAddress',
  example: { what: 'NFTs an address owns', of: 'collectors' },
  summary: 'NFTs of an address',
  description: 'ERC-721 first, then ERC-1155 and ERC-404, by contract and id.',
  body: nftsBody,
  parameters,
  pageRequest,
  async list({ subject: owner, requested: { standards, after, size } }, reader) {
    const limit = size + 1
    const list = { owner, standards, after, limit }
    const first = await reader.read(nftsOfAddress, list)
    const { listed, inDoubt } = shownInList<Row<typeof nftsByOwner>>(reader)
    const shown = await listed(first)
    const isShort = first.length === limit && shown.length < limit
    return {
      rows: isShort ? await reader.read(nftsOfAddress, { ...list, listed, inDoubt }) : shown,
    }
  },
  hydrate(rows) {
    const references = new References()
    for (const row of rows) references.instance(row.token, row.tokenId)
    return references
  },
  present: {
    item: (row, { lookups }) => nftObject(row, lookups),
    cursorAfter: ({ last }, { requested }) => cursorAfter(last, requested),
  },
})
