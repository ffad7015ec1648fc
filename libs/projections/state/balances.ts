import type { Position } from '../../chain/position.ts'
import { type Standard, standards } from '../../chain/token.ts'
import { bandOf } from '../../tables/declare/band.ts'
import { put, type TableRow } from '../../tables/declare/table.ts'
import { balances, balancesByValue } from '../../tables/tables/balances.ts'
import { holders } from '../../tables/tables/holders.ts'
import type { Balance, parseBalanceId } from '../entities/balance.ts'
import { isRenewed, rowDiff } from '../row-diff.ts'
import { heldValue } from './holder-count.ts'

/** One pair before and after a message. */
export interface BalanceChange {
  readonly key: ReturnType<typeof parseBalanceId>
  readonly before: Balance | undefined
  readonly after: Balance | undefined
  readonly position: Position
}

interface Shown {
  readonly value: bigint
  readonly standard: Standard
  readonly ordinal: number
  readonly observedAt: number
}

/**
 * What an address shows of a token: for a collection the ids that it is known to own, or as many
 * as a node counted while the collection was in doubt.
 */
function shownOf(pair: Balance | undefined, isInstance: boolean): Shown | null {
  if (pair === undefined || pair.standard === null) return null
  const { standard, ordinal, observedAt } = pair
  const isCounted = standard === 'ERC-721' && observedAt === 0
  const value = isCounted ? BigInt(pair.owned) : heldValue(pair, isInstance)
  return value > 0n ? { value, standard, ordinal, observedAt } : null
}

/** One object for both tables: each takes its own columns. */
const rowOf = ({ key, position }: BalanceChange, shown: Shown, isDeleted: 0 | 1) => ({
  holder: key.holder,
  token: key.token,
  part: key.part,
  tokenId: key.tokenId ?? 0n,
  value: shown.value,
  standard: standards.indexOf(shown.standard),
  ordinal: shown.ordinal,
  observedAt: shown.observedAt,
  position,
  isDeleted,
})

/** By key, and greatest first; the second key contains the value, so the old row is deleted. */
export function balanceRows(change: BalanceChange): TableRow[] {
  const isInstance = change.key.tokenId !== null
  const was = shownOf(change.before, isInstance)
  const is = shownOf(change.after, isInstance)
  const isAsBefore = was?.value === is?.value && was?.standard === is?.standard
  const isAsSeen = isAsBefore && was?.observedAt === is?.observedAt
  if (isAsSeen && !isRenewed(change.before, change.after)) return []
  const rows: TableRow[] = []
  if (was !== null) {
    const oldRow = rowOf(change, was, 1)
    if (!isAsBefore) rows.push(put(balancesByValue, oldRow))
    if (is === null) rows.push(put(balances, oldRow))
  }
  if (is !== null) {
    const newRow = rowOf(change, is, 0)
    rows.push(put(balancesByValue, newRow), put(balances, newRow))
  }
  return rows
}

function holderRow({ key, position }: BalanceChange, pair: Balance | undefined, isDeleted: 0 | 1) {
  const value = heldValue(pair, key.tokenId !== null)
  if (value === 0n) return null
  return {
    token: key.token,
    band: bandOf(value),
    holder: key.holder,
    part: key.part,
    tokenId: key.tokenId ?? 0n,
    value,
    observedAt: pair?.observedAt ?? 0,
    position,
    isDeleted,
  }
}

/**
 * A tombstone is written only where a value leaves its band: whales that trade must not bury the
 * first page. For a collection the value is what transfers add up to, or what a node counted.
 */
export function holderRows(change: BalanceChange): TableRow[] {
  const { before, after } = change
  const oldRow = holderRow(change, before, 1)
  const newRow = holderRow(change, after, 0)
  const versions = { before: oldRow, after: newRow, isRenewed: isRenewed(before, after) }
  return rowDiff(holders, versions, oldRow?.band !== newRow?.band)
}
