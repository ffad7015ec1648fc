import { type Address, type Hash, withoutPrefix } from '../../chain/hex.ts'
import type { Store } from '../../ports/store.ts'
import type { Row, Versioned } from '../../tables/table.ts'
import {
  transactionsByFee as feeTable,
  transactionsByAddress,
  transactionsByValue as valueTable,
} from '../../tables/transactions.ts'
import {
  ascending,
  clampUint32,
  clampUint64,
  uint32Max,
  uint64Max,
  uint256Max,
} from '../parameters.ts'
import { type Query, query } from '../query.ts'
import { readByKeys, readByKeysInOrder } from '../read-by-keys.ts'
import { ReadLimitExceeded } from '../read-limits.ts'
import { currentRows, type ListSource, readList, unfiltered } from '../read-list.ts'
import type { Keyed } from '../versions.ts'
import {
  mergeSides,
  newestFirst,
  type SideListOptions,
  type TransactionPosition,
} from './merge-sides.ts'

type Transaction = Row<typeof transactionsByAddress>

const budget = { rowsMax: 8_000, bytesMax: 500_000 }
export const valueGreatest = query({
  file: new URL('./transactions-by-value-greatest.sql', import.meta.url),
  table: valueTable,
  budget,
})
export const valueLeast = query({
  file: new URL('./transactions-by-value-least.sql', import.meta.url),
  table: valueTable,
  budget,
})
export const feeGreatest = query({
  file: new URL('./transactions-by-fee-greatest.sql', import.meta.url),
  table: feeTable,
  budget,
})
export const feeLeast = query({
  file: new URL('./transactions-by-fee-least.sql', import.meta.url),
  table: feeTable,
  budget,
})
export const transactionsByKey = query({
  file: new URL('./transactions-of-address-by-key.sql', import.meta.url),
  table: transactionsByAddress,
  budget: { rowsMax: 16_000, bytesMax: 2_000_000 },
})

/** A row of a narrow table, with its place in the list. */
interface WithAmount extends AmountPlace, Versioned {
  readonly side: number
  readonly hash: Hash
}

/** Narrow pages whose rows were all gone from the wide table meanwhile. */
const pagesMax = 8

export const readByValue = (store: Store, list: SideListOptions<AmountPlace>) =>
  pageOf(store, list, (side, after, limit) => {
    const options = { address: list.address, side, after, limit }
    const amounts = { table: valueTable, greatest: valueGreatest, least: valueLeast }
    const amountOf = (row: Row<typeof valueTable>) => row.value
    const readList = list.order === 'desc' ? greatestFirst : leastFirst
    return readList(store, { ...amounts, amountOf }, options)
  })

export const readByFee = (store: Store, list: SideListOptions<AmountPlace>) =>
  pageOf(store, list, (side, after, limit) => {
    const options = { address: list.address, side, after, limit }
    const amounts = { table: feeTable, greatest: feeGreatest, least: feeLeast }
    const amountOf = (row: Row<typeof feeTable>) => row.fee
    const readList = list.order === 'desc' ? greatestFirst : leastFirst
    return readList(store, { ...amounts, amountOf }, options)
  })

type ReadSide = (side: number, after: AmountPlace | null, limit: number) => Promise<WithAmount[]>

/** Places from the narrow tables of each side, then their whole rows. */
async function pageOf(
  store: Store,
  { address, sides, order, after, size }: SideListOptions<AmountPlace>,
  readSide: ReadSide,
): Promise<Transaction[]> {
  const compare = (one: WithAmount, other: WithAmount) =>
    (order === 'desc'
      ? ascending(other.amount, one.amount)
      : ascending(one.amount, other.amount)) || newestFirst(one, other)
  const found: Transaction[] = []
  let last = after
  for (let pages = 0; pages < pagesMax; pages++) {
    const wanted = size.rows - found.length
    const from = last
    const lists = await Promise.all(sides.map((side) => readSide(side, from, wanted)))
    const places = mergeSides(lists, compare, wanted)
    const rowsOf = (some: readonly WithAmount[]) => rowsAt(store, address, some)
    const isFull = (rows: readonly Transaction[]) => size.isFull([...found, ...rows])
    found.push(...(await readByKeysInOrder(places, rowsOf, isFull)))
    if (places.length < wanted || found.length >= size.rows || size.isFull(found)) return found
    last = places.at(-1) ?? last
  }
  throw new ReadLimitExceeded(transactionsByAddress.name, pagesMax * size.rows)
}

/** In the order of the places; one whose row is gone since is left out. */
async function rowsAt(
  store: Store,
  address: Address,
  places: readonly WithAmount[],
): Promise<Transaction[]> {
  const parametersOf = (keys: readonly WithAmount[]) => ({
    address: withoutPrefix(address),
    sides: keys.map(({ side }) => side),
    blockNumbers: keys.map(({ blockNumber }) => blockNumber),
    indexes: keys.map(({ index }) => index),
  })
  const wide = { query: transactionsByKey, table: transactionsByAddress }
  const options = { ...wide, parametersOf, longResultsMax: 0 }
  const rows = new Map((await readByKeys(store, options, places)).map((row) => [row.hash, row]))
  return places.flatMap(({ hash }) => rows.get(hash) ?? [])
}

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
type AmountRow<N> = N & AmountPlace

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
): Promise<AmountRow<N>[]> {
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
): Promise<AmountRow<N>[]> {
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

const found = <N extends Narrow>({ amountOf }: Amounts<N>, rows: readonly N[]): AmountRow<N>[] =>
  rows.map((row) => ({ ...row, amount: amountOf(row) }))
