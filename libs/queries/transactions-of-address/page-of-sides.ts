import { type Address, type Hex, withoutPrefix } from '../../chain/hex.ts'
import type { Store } from '../../ports/store.ts'
import type { Row } from '../../tables/declare/table.ts'
import {
  type ListedTransaction,
  side as sides,
  textsOf,
  transactions,
  transactionsByAddress,
} from '../../tables/tables/transactions.ts'
import { ascending } from '../reading/parameters.ts'
import { readByKeys, readByKeysInOrder } from '../reading/read-by-keys.ts'
import { type PageSize, ReadLimitExceeded } from '../reading/read-limits.ts'
import { rowsOfHashes } from '../rows-by-key/rows-by-key.ts'

export interface TransactionPosition {
  readonly blockNumber: number
  readonly index: number
}

export interface TransactionsOfAddress {
  readonly address: Address
  /** The side of the address; null for both. */
  readonly filter: 'from' | 'to' | null
  readonly sort: 'block_number' | 'value' | 'fee'
  readonly order: 'asc' | 'desc'
  /** `value` or `fee` is needed where the list is sorted by it; without it: from the start. */
  readonly after: {
    readonly blockNumber: number
    readonly index: number
    readonly value?: bigint | null
    readonly fee?: bigint | null
  } | null
  readonly limit: number
  /** Fewer rows where their inputs, as hex text, fill that; the last one does not fit. */
  readonly bytesMax?: number
}

/** A list merged from those of several sides. */
export interface SideListOptions<P> {
  readonly address: Address
  /** As in keys. */
  readonly sides: readonly number[]
  readonly order: 'asc' | 'desc'
  readonly after: P | null
  readonly size: PageSize<{ readonly input: Hex }>
}

/** As in keys. */
export function sidesOf(filter: TransactionsOfAddress['filter']): readonly number[] {
  if (filter === null) return [sides.sender, sides.recipient]
  return [filter === 'from' ? sides.sender : sides.recipient]
}

/** What a list of several sides is made of: rows as they are stored, or their keys. */
export interface SideSource<P, R extends P> {
  /** The first `limit` of a side after a place; fewer only at the end of the list. */
  readonly readSide: (side: number, after: P | null, limit: number) => Promise<readonly R[]>
  /** Their order in the list. */
  readonly compare: (one: R, other: R) => number
  /** Whole rows in their order; those that are gone since are omitted. @throws ResultTooLarge */
  readonly complete: (some: readonly R[]) => Promise<readonly ListedTransaction[]>
}

/** Pages of one reading, each but the first because rows of the one before were gone. */
const pagesMax = 8

/** @throws ReadLimitExceeded if rows are gone page after page */
export async function pageOfSides<P extends TransactionPosition, R extends P>(
  { sides, after, size }: SideListOptions<P>,
  { readSide, compare, complete }: SideSource<P, R>,
): Promise<ListedTransaction[]> {
  const found: ListedTransaction[] = []
  let last = after
  for (let pages = 0; pages < pagesMax; pages++) {
    const wanted = size.rows - found.length
    const from = last
    const lists = await Promise.all(sides.map((side) => readSide(side, from, wanted)))
    const rows = mergeSides(lists, compare, wanted)
    const isFull = (more: readonly ListedTransaction[]) => size.isFull([...found, ...more])
    found.push(...(await readByKeysInOrder(rows, complete, isFull)))
    if (rows.length < wanted || found.length >= size.rows || size.isFull(found)) return found
    last = rows.at(-1) ?? last
  }
  throw new ReadLimitExceeded(transactionsByAddress.name, pagesMax * size.rows)
}

export const newestFirst = (one: TransactionPosition, other: TransactionPosition) =>
  ascending(other.blockNumber, one.blockNumber) || ascending(other.index, one.index)

export const placeInList = ({ blockNumber, index }: TransactionPosition) =>
  `${blockNumber}|${index}`

/**
 * The first `limit` rows of all lists, given the first `limit` of each. A transaction to oneself
 * is on both sides: its duplicate is dropped.
 */
export function mergeSides<R extends TransactionPosition>(
  lists: readonly (readonly R[])[],
  compare: (one: R, other: R) => number,
  limit: number,
): R[] {
  const seen = new Set<string>()
  const rows = lists.flat().sort(compare)
  return rows
    .filter((row) => {
      const place = placeInList(row)
      const isDuplicate = seen.has(place)
      seen.add(place)
      return !isDuplicate
    })
    .slice(0, limit)
}

/** A row of a list as it is stored: without its texts if they are long. */
export type StoredTransaction = Row<typeof transactionsByAddress>

/** A row whose texts are its own. */
export type WithTexts = StoredTransaction & { readonly input: Hex }

export const hasTexts = (row: StoredTransaction): row is WithTexts => row.input !== null

/** In their order. A row whose texts are gone since is omitted. @throws as `withTexts` */
export const withLongTexts = async (
  store: Store,
  rows: readonly StoredTransaction[],
): Promise<ListedTransaction[]> => (await withTexts(store, rows)).filter(hasTexts)

/**
 * In their order. Long texts are read from the table by hash, whose row has the same position; a
 * row that is gone there since, or is of another fork, stays without.
 * @throws ResultTooLarge if they are too long together: retry with fewer rows
 */
export async function withTexts(
  store: Store,
  rows: readonly StoredTransaction[],
): Promise<StoredTransaction[]> {
  const hashes = rows.flatMap((row) => (hasTexts(row) ? [] : [row.hash]))
  const found = new Map((await readByKeys(store, byHash, hashes)).map((row) => [row.hash, row]))
  return rows.map((row) => {
    const whole = hasTexts(row) ? undefined : found.get(row.hash)
    return whole?.position === row.position ? { ...row, ...textsOf(whole) } : row
  })
}

const byHash = {
  query: rowsOfHashes.query,
  table: transactions,
  parametersOf: (hashes: readonly Hex[]) => ({ keys: hashes.map(withoutPrefix) }),
  longResultsMax: 0,
}
