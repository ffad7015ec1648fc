import { type Address, withoutPrefix } from '../../chain/hex.ts'
import type { Store } from '../../ports/store.ts'
import type { Versioned } from '../../tables/table.ts'
import {
  ascending,
  clampUint32,
  clampUint64,
  uint32Max,
  uint64Max,
  uint256Max,
} from '../parameters.ts'
import type { Query } from '../query.ts'
import { ReadLimitExceeded } from '../read-limit-exceeded.ts'
import { currentRows, type ListSource, readList, unfiltered } from '../read-list.ts'
import type { Keyed } from '../versions.ts'
import { newestFirst, type TransactionPosition } from './merge-sides.ts'

export interface AmountPlace extends TransactionPosition {
  readonly amount: bigint
}

/** A narrow table with (address, side, amount, blockNumber, index, hash) as its key. */
interface Amounts<N> {
  readonly table: Keyed<N>
  readonly greatest: Query<N>
  readonly least: Query<N>
  readonly amountOf: (row: N) => bigint
}

interface AmountsOfSide {
  readonly address: Address
  readonly side: number
  readonly after: AmountPlace | null
  readonly limit: number
}

type Narrow = TransactionPosition & Versioned
type WithAmount<N> = N & AmountPlace

/** Largest fetch of narrow rows. */
const fetchRowsMax = 4_096
const slackRows = 16
/** Groups of one amount that a fetch has split, and that are read separately. */
const groupsMax = 256

const end = { blockNumber: uint64Max, index: uint32Max }

/** Amount descending, newest first within one amount: the key in reverse. */
export async function greatestFirst<N extends Narrow>(
  store: Store,
  amounts: Amounts<N>,
  options: AmountsOfSide,
): Promise<WithAmount<N>[]> {
  const start = options.after ?? { amount: uint256Max, ...end }
  const source = backwards(store, amounts, { ...options, least: 0n, start })
  return found(amounts, await readList(source, options.limit, unfiltered))
}

/**
 * Amount ascending, but newest first within one amount. A group of one amount, for example a
 * million transfers of 0, is never read as a whole: complete groups of a forward fetch are
 * reversed, and the group that the fetch splits is read in reverse order.
 */
export async function leastFirst<N extends Narrow>(
  store: Store,
  amounts: Amounts<N>,
  options: AmountsOfSide,
): Promise<WithAmount<N>[]> {
  const { after, limit } = options
  const group = (amount: bigint, place: TransactionPosition, rowsWanted: number) => {
    const list = { ...options, least: amount, start: { ...place, amount } }
    return readList(backwards(store, amounts, list), rowsWanted, unfiltered)
  }
  const rows: N[] = after ? await group(after.amount, after, limit) : []
  let least = after ? after.amount + 1n : 0n
  for (let groups = 0; groups < groupsMax; groups++) {
    if (rows.length >= limit || least > uint256Max) return found(amounts, rows.slice(0, limit))
    const rowsMax = Math.min(limit - rows.length + slackRows, fetchRowsMax)
    const list = { address: withoutPrefix(options.address), side: options.side }
    const fetched = await amounts.least.run(store, { ...list, least, rowsMax })
    const isLast = fetched.length < rowsMax
    const cut = fetched.at(-1)
    if (cut === undefined) return found(amounts, rows)
    const cutAmount = amounts.amountOf(cut)
    const whole = isLast ? fetched : fetched.filter((row) => amounts.amountOf(row) !== cutAmount)
    rows.push(...currentRows(amounts.table, whole, whole).sort(byAmount(amounts)))
    if (isLast) return found(amounts, rows.slice(0, limit))
    if (rows.length < limit) rows.push(...(await group(cutAmount, end, limit - rows.length)))
    least = cutAmount + 1n
  }
  throw new ReadLimitExceeded(amounts.table.name, rows.length)
}

const byAmount =
  <N extends Narrow>({ amountOf }: Amounts<N>) =>
  (one: N, other: N) =>
    ascending(amountOf(one), amountOf(other)) || newestFirst(one, other)

function backwards<N extends Narrow>(
  store: Store,
  { table, greatest, amountOf }: Amounts<N>,
  list: AmountsOfSide & { readonly least: bigint; readonly start: AmountPlace },
): ListSource<N> {
  return {
    table,
    cursorKey: (row) => `${amountOf(row)}|${row.blockNumber}|${row.index}`,
    fetch: (last, rowsMax) => {
      const place = last ? { ...last, amount: amountOf(last) } : list.start
      return greatest.run(store, {
        address: withoutPrefix(list.address),
        side: list.side,
        least: list.least,
        amount: place.amount,
        blockNumber: clampUint64(place.blockNumber),
        index: clampUint32(place.index),
        rowsMax,
      })
    },
    fetchRowsMax,
  }
}

const found = <N extends Narrow>({ amountOf }: Amounts<N>, rows: readonly N[]): WithAmount<N>[] =>
  rows.map((row) => ({ ...row, amount: amountOf(row) }))
