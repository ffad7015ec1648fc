import type { Address } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import type { Versioned } from '../tables/table.ts'
import {
  ascending,
  bare,
  uint32Last,
  uint64Last,
  uint256Last,
  within32,
  within64,
} from './parameters.ts'
import type { Query } from './query.ts'
import { alive, asRead, type Reading, read } from './reading.ts'
import { ReadingBound } from './reading-bound.ts'
import { newestFirst, type TransactionPlace } from './transactions-merged.ts'
import type { Keyed } from './versions.ts'

export interface AmountPlace extends TransactionPlace {
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

type Narrow = TransactionPlace & Versioned
type Found<N> = N & AmountPlace

/** Largest fetch of narrow rows. */
const fetchRowsMax = 4_096
const slackRows = 16
/** Groups of one amount that were cut by a fetch and read on their own. */
const groupsMax = 256

const end = { blockNumber: uint64Last, index: uint32Last }

/** Amount descending; inside one amount the newest first: the key backwards. */
export async function greatestFirst<N extends Narrow>(
  store: Store,
  amounts: Amounts<N>,
  asked: AmountsOfSide,
): Promise<Found<N>[]> {
  const start = asked.after ?? { amount: uint256Last, ...end }
  const reading = backwards(store, amounts, { ...asked, least: 0n, start })
  return found(amounts, await read(reading, asked.limit, asRead))
}

/**
 * Amount ascending, yet inside one amount the newest first. A group of one amount, say of a million
 * transfers of nothing, is never read whole: whole groups of a forward fetch are turned round, the
 * group that the fetch cuts is read backwards.
 */
export async function leastFirst<N extends Narrow>(
  store: Store,
  amounts: Amounts<N>,
  asked: AmountsOfSide,
): Promise<Found<N>[]> {
  const { after, limit } = asked
  const group = (amount: bigint, place: TransactionPlace, rowsWanted: number) => {
    const list = { ...asked, least: amount, start: { ...place, amount } }
    return read(backwards(store, amounts, list), rowsWanted, asRead)
  }
  const rows: N[] = after ? await group(after.amount, after, limit) : []
  let least = after ? after.amount + 1n : 0n
  for (let groups = 0; groups < groupsMax; groups++) {
    if (rows.length >= limit || least > uint256Last) return found(amounts, rows.slice(0, limit))
    const rowsMax = Math.min(limit - rows.length + slackRows, fetchRowsMax)
    const list = { address: bare(asked.address), side: asked.side }
    const fetched = await amounts.least.ask(store, { ...list, least, rowsMax })
    const isLast = fetched.length < rowsMax
    const cut = fetched.at(-1)
    if (cut === undefined) return found(amounts, rows)
    const cutAmount = amounts.amountOf(cut)
    const whole = isLast ? fetched : fetched.filter((row) => amounts.amountOf(row) !== cutAmount)
    rows.push(...alive(amounts.table, whole, whole).sort(byAmount(amounts)))
    if (isLast) return found(amounts, rows.slice(0, limit))
    if (rows.length < limit) rows.push(...(await group(cutAmount, end, limit - rows.length)))
    least = cutAmount + 1n
  }
  throw new ReadingBound(amounts.table.name, rows.length)
}

const byAmount =
  <N extends Narrow>({ amountOf }: Amounts<N>) =>
  (one: N, other: N) =>
    ascending(amountOf(one), amountOf(other)) || newestFirst(one, other)

function backwards<N extends Narrow>(
  store: Store,
  { table, greatest, amountOf }: Amounts<N>,
  list: AmountsOfSide & { readonly least: bigint; readonly start: AmountPlace },
): Reading<N> {
  return {
    table,
    placeOf: (row) => `${amountOf(row)}|${row.blockNumber}|${row.index}`,
    fetch: (last, rowsMax) => {
      const place = last ? { ...last, amount: amountOf(last) } : list.start
      return greatest.ask(store, {
        address: bare(list.address),
        side: list.side,
        least: list.least,
        amount: place.amount,
        blockNumber: within64(place.blockNumber),
        index: within32(place.index),
        rowsMax,
      })
    },
    fetchRowsMax,
  }
}

const found = <N extends Narrow>({ amountOf }: Amounts<N>, rows: readonly N[]): Found<N>[] =>
  rows.map((row) => ({ ...row, amount: amountOf(row) }))
