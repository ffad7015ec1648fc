import type { Position } from '../chain/position.ts'
import { type Standard, standards } from '../chain/token.ts'
import { balances } from '../tables/balances.ts'
import { balancesByValue } from '../tables/balances-by-value.ts'
import { put, type TableRow } from '../tables/table-row.ts'
import type { Pair, pairKey } from './entities/pair.ts'
import { heldBy } from './held.ts'

/** One pair before and after a message. */
export interface PairChange {
  readonly key: ReturnType<typeof pairKey>
  readonly before: Pair | undefined
  readonly after: Pair | undefined
  readonly position: Position
}

interface Shown {
  readonly value: bigint
  readonly standard: Standard
  readonly ordinal: number
}

/** What an address shows of a token: for a collection the ids that it is known to own. */
function shownOf(pair: Pair | undefined, isInstance: boolean): Shown | null {
  if (pair === undefined || pair.standard === null) return null
  const { standard, ordinal } = pair
  const value = standard === 'ERC-721' ? BigInt(pair.owned) : heldBy(pair, isInstance)
  return value > 0n ? { value, standard, ordinal } : null
}

/** By key, and greatest first; the value stands in the second key, so the old one is taken out. */
export function balanceRows({ key, before, after, position }: PairChange): TableRow[] {
  const { holder, token, part } = key
  const was = shownOf(before, key.tokenId !== null)
  const is = shownOf(after, key.tokenId !== null)
  if (was?.value === is?.value && was?.standard === is?.standard) return []
  const stable = { holder, token, part, tokenId: key.tokenId ?? 0n, position }
  const rows: TableRow[] = []
  if (was !== null) {
    const standard = standards.indexOf(was.standard)
    rows.push(put(balancesByValue, { ...stable, ...was, standard, isDeleted: 1 }))
    if (is === null) rows.push(put(balances, { ...stable, value: was.value, isDeleted: 1 }))
  }
  if (is !== null) {
    const standard = standards.indexOf(is.standard)
    rows.push(put(balancesByValue, { ...stable, ...is, standard, isDeleted: 0 }))
    rows.push(put(balances, { ...stable, value: is.value, isDeleted: 0 }))
  }
  return rows
}
