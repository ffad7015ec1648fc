import { type Address, type Hash, withoutPrefix } from '../../chain/hex.ts'
import type { Store } from '../../ports/store.ts'
import type { Row, Versioned } from '../../tables/table.ts'
import {
  transactionsByFee as feeTable,
  transactionsByAddress,
  transactionsByValue as valueTable,
} from '../../tables/transactions.ts'
import { ascending } from '../parameters.ts'
import { query } from '../query.ts'
import { readByKeys, readByKeysInOrder } from '../read-by-keys.ts'
import { ReadLimitExceeded } from '../read-limit-exceeded.ts'
import { type AmountPlace, greatestFirst, leastFirst } from './amounts-of-side.ts'
import { mergeSides, newestFirst, type SideListOptions } from './merge-sides.ts'

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
