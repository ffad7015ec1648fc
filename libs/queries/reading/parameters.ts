/** Greater than every block number, ordinal and position. */
export const uint64Max = Number.MAX_SAFE_INTEGER
export const uint32Max = 2 ** 32 - 1
export const uint256Max = (1n << 256n) - 1n

/** Cursors may have any integer; one beyond the column's type is after all rows anyway. */
export const clampUint32 = (value: number): number => Math.min(value, uint32Max)
export const clampUint64 = (value: number): number => Math.min(value, uint64Max)

/** Negative if `one` comes first. */
export function ascending<T extends number | bigint | string>(one: T, other: T): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
