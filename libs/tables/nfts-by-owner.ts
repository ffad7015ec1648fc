import { addressType, descending, uint8, uint256 } from './columns.ts'
import { table } from './table.ts'

export const nftsByOwner = table({
  name: 'nfts_by_owner',
  serves: 'endpoint 4: ERC-721 by owner, then ERC-1155 and ERC-404 by balance',
  group: 'state',
  source: 'blocks',
  key: {
    owner: addressType,
    /** Index in `standards`: ERC-721 first, then ERC-1155, then ERC-404. */
    standard: uint8,
    token: addressType,
    tokenId: descending(uint256),
  },
  columns: { value: uint256 },
  granularity: 512,
  beforeHole: 'gone',
})
