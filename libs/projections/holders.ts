import { bandOf } from '../tables/band.ts'
import { holders } from '../tables/holders.ts'
import type { TableRow } from '../tables/table-row.ts'
import type { PairChange } from './balances.ts'
import { rowsBetween } from './between.ts'
import { heldBy } from './held.ts'

/**
 * A tombstone is written only where a value leaves its band: whales that trade must not bury the
 * first page. For a collection the value is what transfers add up to, or what a node counted.
 */
export function holderRows({ key, before, after, position }: PairChange): TableRow[] {
  const { token, holder, part } = key
  const was = heldBy(before, key.tokenId !== null)
  const is = heldBy(after, key.tokenId !== null)
  if (was === is) return []
  const stable = { token, holder, part, tokenId: key.tokenId ?? 0n, position }
  const gone = was === 0n ? null : { ...stable, band: bandOf(was), value: was, isDeleted: 1 }
  const here = is === 0n ? null : { ...stable, band: bandOf(is), value: is, isDeleted: 0 }
  return rowsBetween(holders, { gone, here }, gone?.band !== here?.band)
}
