import { addressType, bool, nullable, uint256 } from './columns.ts'
import { table } from './table.ts'

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
  },
  granularity: 512,
  beforeHole: 'gone',
  subject: 'key',
})
