import { addressType, descending, observedAt, uint8, uint16, uint256 } from '../declare/columns.ts'
import { table } from '../declare/table.ts'

/** Holders of a token, greatest first. Bands are read whole; see the rules of reading. */
export const holders = table({
  name: 'holders',
  serves: 'endpoint 8: holders of a token, greatest first',
  group: 'state',
  source: 'blocks',
  key: {
    token: addressType,
    /** `bandOf(value)`: a trade that stays in its band leaves no tombstone. */
    band: descending(uint16),
    holder: descending(addressType),
    part: uint8,
    tokenId: descending(uint256),
  },
  columns: { value: uint256, observedAt },
  granularity: 512,
  // Balances above one that is known are found without reading a band of equal ones.
  minmax: ['value'],
  beforeHole: 'gone',
})
