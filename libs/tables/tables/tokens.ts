import { address as anAddress } from '../../chain/hex.ts'
import {
  addressType,
  bool,
  nullable,
  textType,
  uint8,
  uint64,
  uint256,
} from '../declare/columns.ts'
import { table } from '../declare/table.ts'

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
    /** Of its rows in other tables only those count with an `observedAt` from this block on. */
    shownSince: uint64,
  },
  granularity: 512,
  beforeHole: { totalSupply: null, holdersCount: null, isComplete: false },
  hasThrottledStats: true,
  isCached: true,
  phase: 'existence',
})

/** Whether a row of another table counts, of a token with this state. */
export const isShown = (
  { observedAt }: { readonly observedAt: number },
  token: { readonly shownSince: number } | null | undefined,
): boolean => observedAt >= (token?.shownSince ?? 0)

export const tokenMarket = table({
  name: 'token_market',
  serves: 'rates, supplies, icons and corrections in token objects',
  group: 'dimensions',
  source: 'token-facts',
  key: { token: addressType, kind: textType },
  /** JSON of the fact, checked by its schema when it was folded. */
  columns: { fact: textType },
  granularity: 512,
  hasThrottledStats: true,
  isCached: true,
})

/** Hours of chain time whose rates are kept: a walk by them may take three days. */
export const rateHoursKept = 72

/** Tokens whose rates order balances; the rates of further tokens are only shown. */
export const ratedTokensMax = 10_000

/** Where the rates of an hour lie, until those of a later hour take their place. */
export const rateSlotOf = (hour: number): number => hour % rateHoursKept

/**
 * Represents the hour itself: its rate is the number of the other rows. It is written together with
 * them, so that a reader can check whether all of them are present.
 */
export const rateHourToken = anAddress(`0x${'f'.repeat(40)}`)

/** The subject of announcements of all rates: those of one hour are written and read together. */
export const rateHours = 'hours'

export const tokenRates = table({
  name: 'token_rates',
  serves: 'endpoints 1 and 3: the rates by which balances are ordered, hour by hour of chain time',
  group: 'dimensions',
  source: 'token-facts',
  key: { slot: uint8, token: addressType },
  columns: {
    /** Hours since 1970: the rates are those that were known when it began. */
    hour: uint64,
    /** Decimal string. */
    rate: textType,
  },
  granularity: 512,
  subject: { ofAll: rateHours },
})
