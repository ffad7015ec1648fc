import { addressType, bool, nullable, textType, uint8, uint64, uint256 } from './columns.ts'
import { table } from './table.ts'

export const tokenState = table({
  name: 'token_state',
  serves: 'token objects everywhere, endpoint 10, and whether a token is known',
  group: 'state',
  source: 'blocks',
  key: { token: addressType },
  columns: {
    /** Index in `standards`. */
    standard: uint8,
    /** Internal id of its fungible part; 0 in rows of a release that did not write it. */
    ordinal: uint64,
    name: nullable(textType),
    symbol: nullable(textType),
    decimals: nullable(uint8),
    totalSupply: nullable(uint256),
    /** Null while the token's history is incomplete. */
    holdersCount: nullable(uint64),
    /** The log holds the token's whole history. */
    isComplete: bool,
  },
  granularity: 512,
  beforeHole: { totalSupply: null, holdersCount: null, isComplete: false },
  hasThrottledStats: true,
  isCached: true,
  provesExistence: true,
})
