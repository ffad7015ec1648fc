type Rank = bigint | number | string

/** Sorts by several ranks, the first that differs decides. A minus sign turns one around. */
export function sorted<T>(
  items: readonly T[],
  ...ranks: readonly ((item: T) => Rank | readonly ['-', Rank])[]
): T[] {
  return [...items].sort((a, b) => {
    for (const rank of ranks) {
      const [one, other] = [rank(a), rank(b)]
      const sign = Array.isArray(one) ? -1 : 1
      const order = compared(
        Array.isArray(one) ? one[1] : one,
        Array.isArray(other) ? other[1] : other,
      )
      if (order !== 0) return sign * order
    }
    return 0
  })
}

/** The greatest first. */
export const down = (rank: Rank): readonly ['-', Rank] => ['-', rank]

function compared(one: Rank, other: Rank): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
