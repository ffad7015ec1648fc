import type { Address, Hash } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import type { Row, Versioned } from '../tables/table.ts'
import { transactionsByAddress } from '../tables/transactions-by-address.ts'
import { transactionsByFee as feeTable } from '../tables/transactions-by-fee.ts'
import { transactionsByValue as valueTable } from '../tables/transactions-by-value.ts'
import { type AmountPlace, greatestFirst, leastFirst } from './amounts-of-side.ts'
import { lookUp, lookUpInOrder } from './look-up.ts'
import { ascending, bare } from './parameters.ts'
import { query } from './query.ts'
import { ReadingBound } from './reading-bound.ts'
import { type Merging, merged, newestFirst } from './transactions-merged.ts'

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
interface Found extends AmountPlace, Versioned {
  readonly side: number
  readonly hash: Hash
}

/** Narrow pages whose rows were all gone from the wide table meanwhile. */
const pagesMax = 8

export const transactionsByValue = (store: Store, list: Merging<AmountPlace>) =>
  pageOf(store, list, (side, after, limit) => {
    const asked = { address: list.address, side, after, limit }
    const amounts = { table: valueTable, greatest: valueGreatest, least: valueLeast }
    const amountOf = (row: Row<typeof valueTable>) => row.value
    const read = list.order === 'desc' ? greatestFirst : leastFirst
    return read(store, { ...amounts, amountOf }, asked)
  })

export const transactionsByFee = (store: Store, list: Merging<AmountPlace>) =>
  pageOf(store, list, (side, after, limit) => {
    const asked = { address: list.address, side, after, limit }
    const amounts = { table: feeTable, greatest: feeGreatest, least: feeLeast }
    const amountOf = (row: Row<typeof feeTable>) => row.fee
    const read = list.order === 'desc' ? greatestFirst : leastFirst
    return read(store, { ...amounts, amountOf }, asked)
  })

type ReadSide = (side: number, after: AmountPlace | null, limit: number) => Promise<Found[]>

/** Places from the narrow tables of each side, then their whole rows. */
async function pageOf(
  store: Store,
  { address, sides, order, after, size }: Merging<AmountPlace>,
  readSide: ReadSide,
): Promise<Transaction[]> {
  const compare = (one: Found, other: Found) =>
    (order === 'desc'
      ? ascending(other.amount, one.amount)
      : ascending(one.amount, other.amount)) || newestFirst(one, other)
  const found: Transaction[] = []
  let last = after
  for (let pages = 0; pages < pagesMax; pages++) {
    const wanted = size.rows - found.length
    const from = last
    const lists = await Promise.all(sides.map((side) => readSide(side, from, wanted)))
    const places = merged(lists, compare, wanted)
    const rowsOf = (some: readonly Found[]) => rowsAt(store, address, some)
    const isFull = (rows: readonly Transaction[]) => size.isFull([...found, ...rows])
    found.push(...(await lookUpInOrder(places, rowsOf, isFull)))
    if (places.length < wanted || found.length >= size.rows || size.isFull(found)) return found
    last = places.at(-1) ?? last
  }
  throw new ReadingBound(transactionsByAddress.name, pagesMax * size.rows)
}

/** In the order of the places; one whose row is gone since is left out. */
async function rowsAt(
  store: Store,
  address: Address,
  places: readonly Found[],
): Promise<Transaction[]> {
  const parametersOf = (keys: readonly Found[]) => ({
    address: bare(address),
    sides: keys.map(({ side }) => side),
    blockNumbers: keys.map(({ blockNumber }) => blockNumber),
    indexes: keys.map(({ index }) => index),
  })
  const wide = { query: transactionsByKey, table: transactionsByAddress }
  const form = { ...wide, parametersOf, longResultsMax: 0 }
  const rows = new Map((await lookUp(store, form, places)).map((row) => [row.hash, row]))
  return places.flatMap(({ hash }) => rows.get(hash) ?? [])
}
