import {
  addressType,
  bool,
  descending,
  nullable,
  observedAt,
  textType,
  uint8,
  uint256,
} from '../declare/columns.ts'
import { table } from '../declare/table.ts'

export const instances = table({
  name: 'instances',
  serves: 'token instances in endpoints 3, 4, 5 and 7',
  group: 'state',
  source: 'blocks',
  key: { token: addressType, tokenId: uint256 },
  columns: {
    /** The holder where there is only one of it, else null. */
    owner: nullable(addressType),
    isUnique: bool,
    observedAt,
  },
  granularity: 512,
  beforeHole: 'gone',
  subject: 'key',
})

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
  columns: { value: uint256, observedAt },
  granularity: 512,
  beforeHole: 'gone',
})

export const instanceMetadata = table({
  name: 'instance_metadata',
  serves: 'metadata and media of token instances',
  group: 'dimensions',
  source: 'instance-facts',
  key: { token: addressType, tokenId: uint256 },
  /** JSON of the fact, checked by its schema when it was folded. */
  columns: { fact: textType },
  granularity: 512,
  subject: 'key',
})
