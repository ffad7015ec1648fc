import type { Address, Hash, Hex } from '../../chain/hex.ts'
import { ascending } from '../reading/parameters.ts'
import type { PageSize } from '../reading/read-limits.ts'

export interface TransactionPosition {
  readonly blockNumber: number
  readonly index: number
}

/** A list merged from those of several sides. */
export interface SideListOptions<P> {
  readonly address: Address
  /** As in keys. */
  readonly sides: readonly number[]
  readonly order: 'asc' | 'desc'
  readonly after: P | null
  readonly size: PageSize<{ readonly input: Hex }>
}

export const newestFirst = (one: TransactionPosition, other: TransactionPosition) =>
  ascending(other.blockNumber, one.blockNumber) || ascending(other.index, one.index)

/**
 * The first `limit` rows of all lists, given the first `limit` of each. A transaction to oneself
 * is on both sides: its duplicate is dropped.
 */
export function mergeSides<R extends { readonly hash: Hash }>(
  lists: readonly (readonly R[])[],
  compare: (one: R, other: R) => number,
  limit: number,
): R[] {
  const seen = new Set<Hash>()
  const rows = lists.flat().sort(compare)
  return rows
    .filter(({ hash }) => {
      const isDuplicate = seen.has(hash)
      seen.add(hash)
      return !isDuplicate
    })
    .slice(0, limit)
}
