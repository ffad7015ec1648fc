import { addressType, descending, observedAt, uint8, uint64, uint256 } from '../declare/columns.ts'
import { table } from '../declare/table.ts'

/**
 * One list a standard, so that a filter by type scans nothing else; all types are merged by
 * value. `ordinal` is the internal id that breaks ties and rides in the cursor.
 */
export const balancesByValue = table({
  name: 'balances_by_value',
  serves: 'endpoints 1 and 3: what an address holds, greatest first',
  group: 'state',
  source: 'blocks',
  key: {
    holder: addressType,
    /** Index in `standards`. */
    standard: uint8,
    value: descending(uint256),
    ordinal: descending(uint64),
    token: addressType,
    part: uint8,
    tokenId: uint256,
  },
  columns: { observedAt },
  granularity: 512,
  beforeHole: 'gone',
})

/**
 * A token's amounts lie in two parts: the fungible one (ERC-20, the count of a collection, the
 * ERC-20 side of ERC-404; its token id is 0) and its instances (ERC-1155, NFTs of ERC-404).
 */
export const part = { fungible: 0, instance: 1 } as const

export const balances = table({
  name: 'balances',
  serves: 'endpoints 1 and 3: what an address holds, of few tokens or of those that have a rate',
  group: 'state',
  source: 'blocks',
  key: { holder: addressType, token: addressType, part: uint8, tokenId: uint256 },
  columns: {
    value: uint256,
    /** As in {@link balancesByValue}: few balances are listed from here. */
    standard: uint8,
    ordinal: uint64,
    observedAt,
  },
  granularity: 512,
  beforeHole: 'gone',
  invalidatedWith: balancesByValue,
})
