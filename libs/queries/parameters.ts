import type { Hex } from '../chain/hex.ts'

/** Beyond every block number, ordinal and position. */
export const uint64Last = Number.MAX_SAFE_INTEGER
export const uint32Last = 2 ** 32 - 1
export const uint256Last = (1n << 256n) - 1n

/** Hex as queries take it. */
export const bare = (hex: Hex): string => hex.slice(2)

/** Cursors may name any integer; one beyond the column's type comes after all rows anyway. */
export const within32 = (value: number): number => Math.min(value, uint32Last)
export const within64 = (value: number): number => Math.min(value, uint64Last)

/** Negative where `one` comes first. */
export function ascending<T extends number | bigint | string>(one: T, other: T): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
