import { type Address, withoutPrefix } from '../../chain/hex.ts'
import type { Store } from '../../ports/store.ts'
import type { Row, Versioned } from '../../tables/declare/table.ts'
import {
  transactionsByFee as feeTable,
  type ListedTransaction,
  transactionsByAddress,
  transactionsByValue as valueTable,
} from '../../tables/tables/transactions.ts'
import { range } from '../reading/declared.ts'
import {
  ascending,
  clampUint32,
  clampUint64,
  uint32Max,
  uint64Max,
  uint256Max,
} from '../reading/parameters.ts'
import { type Query, query } from '../reading/query.ts'
import { readByKeys } from '../reading/read-by-keys.ts'
import { ReadLimitExceeded } from '../reading/read-limits.ts'
import { currentRows, type ListSource, readList, unfiltered } from '../reading/read-list.ts'
import type { Keyed } from '../reading/versions.ts'
import {
  newestFirst,
  pageOfSides,
  placeInList,
  type SideListOptions,
  type StoredTransaction,
  type TransactionPosition,
  withLongTexts,
} from './page-of-sides.ts'

const budget = { rowsMax: 8_000, bytesMax: 2_000_000 }
const valueGreatest = query({
  file: new URL('./transactions-by-value-greatest.sql', import.meta.url),
  table: valueTable,
  budget,
})
/**
 * The oldest come first within one value, while the list has the newest first: the reader reverses
 * complete groups, and reads a group that a fetch splits in reverse order.
 */
const valueLeast = range({
  file: new URL('./transactions-by-value-least.sql', import.meta.url),
  table: valueTable,
  of: ['address', 'side'],
  after: ['value'],
  isInclusive: true,
  order: 'key',
  budget,
})
const feeGreatest = query({
  file: new URL('./transactions-by-fee-greatest.sql', import.meta.url),
  table: feeTable,
  budget,
})
const feeLeast = range({
  file: new URL('./transactions-by-fee-least.sql', import.meta.url),
  table: feeTable,
  of: ['address', 'side'],
  after: ['fee'],
  isInclusive: true,
  order: 'key',
  budget,
})
const transactionsByKey = query({
  file: new URL('./transactions-of-address-by-key.sql', import.meta.url),
  table: transactionsByAddress,
  budget: { rowsMax: 16_000, bytesMax: 2_000_000 },
})

const values: Amounts<Row<typeof valueTable>> = {
  table: valueTable,
  amount: 'value',
  greatest: valueGreatest,
  least: valueLeast,
  amountOf: ({ value }) => value,
  isOftenZero: true,
}
const fees: Amounts<Row<typeof feeTable>> = {
  table: feeTable,
  amount: 'fee',
  greatest: feeGreatest,
  least: feeLeast,
  amountOf: ({ fee }) => fee,
  isOftenZero: false,
}

export const readByValue = (store: Store, list: SideListOptions<AmountPlace>) =>
  pageByAmount(store, values, list)

export const readByFee = (store: Store, list: SideListOptions<AmountPlace>) =>
  pageByAmount(store, fees, list)

/** Keys in the order of the list, and their rows from the table by block. */
function pageByAmount<N extends Placed>(
  store: Store,
  amounts: Amounts<N>,
  list: SideListOptions<AmountPlace>,
): Promise<ListedTransaction[]> {
  const { address, order } = list
  const read = order === 'desc' ? greatestFirst : leastFirst
  return pageOfSides<AmountPlace, AmountKey>(list, {
    readSide: (side, after, limit) => read(store, amounts, { address, side, after, limit }),
    compare: (one, other) =>
      (order === 'desc'
        ? ascending(other.amount, one.amount)
        : ascending(one.amount, other.amount)) || newestFirst(one, other),
    complete: async (keys) => withLongTexts(store, await rowsOfKeys(store, address, keys)),
  })
}

interface AmountKey extends AmountPlace, Versioned {
  readonly side: number
}

/**
 * In the order of their keys. A row and its key are written by one message, so they have one
 * position; where they have not, the row is of a fork that the key is not of, and is omitted.
 */
async function rowsOfKeys(
  store: Store,
  address: Address,
  keys: readonly AmountKey[],
): Promise<StoredTransaction[]> {
  const parametersOf = (some: readonly AmountKey[]) => ({
    address: withoutPrefix(address),
    sides: some.map(({ side }) => side),
    blockNumbers: some.map(({ blockNumber }) => blockNumber),
    indexes: some.map(({ index }) => index),
  })
  const byKey = { query: transactionsByKey, table: transactionsByAddress, parametersOf }
  const idOf = (of: TransactionPosition & Versioned) => `${placeInList(of)}|${of.position}`
  const rows = new Map((await readByKeys(store, byKey, keys)).map((row) => [idOf(row), row]))
  return keys.flatMap((key) => rows.get(idOf(key)) ?? [])
}

export interface AmountPlace extends TransactionPosition {
  readonly amount: bigint
}

/** A table with (address, side, amount, blockNumber, index) as its key. */
interface Amounts<N> {
  readonly table: Keyed<N>
  /** The column, whose name is that of its parameter. */
  readonly amount: 'value' | 'fee'
  readonly greatest: Query<N>
  readonly least: Query<N>
  readonly amountOf: (row: N) => bigint
  /** Whether the list in ascending order probably begins with many zeros. */
  readonly isOftenZero: boolean
}

interface AmountsOfSide {
  readonly address: Address
  readonly side: number
  readonly after: AmountPlace | null
  readonly limit: number
}

type Placed = TransactionPosition & Versioned & { readonly side: number }

/** Largest fetch, less than a block. */
const fetchRowsMax = 1_000
const slackRows = 16
/** Groups of one amount that a fetch has split, and that are read separately. */
const groupsMax = 256

const end = { blockNumber: uint64Max, index: uint32Max }

/** Amount descending, newest first within one amount: the key in reverse. */
async function greatestFirst<N extends Placed>(
  store: Store,
  amounts: Amounts<N>,
  options: AmountsOfSide,
): Promise<AmountKey[]> {
  const start = options.after ?? { amount: uint256Max, ...end }
  const source = backwards(store, amounts, { ...options, least: 0n, start })
  return found(amounts, await readList(source, options.limit, unfiltered))
}

/**
 * Amount ascending, but newest first within one amount. A group of one amount, for example a
 * million transfers of 0, is never read as a whole: complete groups of a forward fetch are
 * reversed, and the group that the fetch splits is read in reverse order.
 */
async function leastFirst<N extends Placed>(
  store: Store,
  amounts: Amounts<N>,
  options: AmountsOfSide,
): Promise<AmountKey[]> {
  const { after, limit } = options
  const group = (amount: bigint, rowsWanted: number) => {
    const start = amount === after?.amount ? after : { ...end, amount }
    const source = backwards(store, amounts, { ...options, least: amount, start })
    return readList(source, rowsWanted, unfiltered)
  }
  const isAfter = (row: N) =>
    after === null || amounts.amountOf(row) !== after.amount || newestFirst(row, after) > 0
  const isInZeros = after ? after.amount === 0n : amounts.isOftenZero
  const rows: N[] = isInZeros ? await group(0n, limit) : []
  let least = isInZeros ? 1n : (after?.amount ?? 0n)
  for (let groups = 0; groups < groupsMax; groups++) {
    if (rows.length >= limit || least > uint256Max) return found(amounts, rows.slice(0, limit))
    const rowsMax = Math.min(limit - rows.length + slackRows, fetchRowsMax)
    const list = { address: withoutPrefix(options.address), side: options.side }
    const start = { [amounts.amount]: least }
    const fetched = await amounts.least.run(store, { ...list, ...start, rowsMax })
    const isLast = fetched.length < rowsMax
    const cut = fetched.at(-1)
    if (cut === undefined) return found(amounts, rows)
    const cutAmount = amounts.amountOf(cut)
    const whole = isLast ? fetched : fetched.filter((row) => amounts.amountOf(row) !== cutAmount)
    const current = currentRows(amounts.table, whole, whole).filter(isAfter)
    rows.push(...current.sort(byAmount(amounts)))
    if (isLast) return found(amounts, rows.slice(0, limit))
    if (rows.length < limit) rows.push(...(await group(cutAmount, limit - rows.length)))
    least = cutAmount + 1n
  }
  throw new ReadLimitExceeded(amounts.table.name, rows.length)
}

const byAmount =
  <N extends Placed>({ amountOf }: Amounts<N>) =>
  (one: N, other: N) =>
    ascending(amountOf(one), amountOf(other)) || newestFirst(one, other)

function backwards<N extends Placed>(
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

const found = <N extends Placed>({ amountOf }: Amounts<N>, rows: readonly N[]): AmountKey[] =>
  rows.map((row) => ({ ...row, amount: amountOf(row) }))
