import type { Address, Hash, Hex } from '../chain/hex.ts'
import { ascending } from './parameters.ts'
import type { PageSize } from './result-size.ts'

export interface TransactionPlace {
  readonly blockNumber: number
  readonly index: number
}

/** One list out of those of several sides. */
export interface Merging<P> {
  readonly address: Address
  /** As in keys. */
  readonly sides: readonly number[]
  readonly order: 'asc' | 'desc'
  readonly after: P | null
  readonly size: PageSize<{ readonly input: Hex }>
}

export const newestFirst = (one: TransactionPlace, other: TransactionPlace) =>
  ascending(other.blockNumber, one.blockNumber) || ascending(other.index, one.index)

/**
 * The first `limit` of all lists, each of which has its own first `limit`. A transaction to
 * oneself stands on both sides: its twin is dropped.
 */
export function merged<R extends { readonly hash: Hash }>(
  lists: readonly (readonly R[])[],
  compare: (one: R, other: R) => number,
  limit: number,
): R[] {
  const seen = new Set<Hash>()
  const rows = lists.flat().sort(compare)
  return rows
    .filter(({ hash }) => {
      const isTwin = seen.has(hash)
      seen.add(hash)
      return !isTwin
    })
    .slice(0, limit)
}
