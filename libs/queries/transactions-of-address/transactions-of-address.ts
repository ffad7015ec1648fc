import { type Address, type Hash, type Hex, withoutPrefix } from '../../chain/hex.ts'
import type { Store } from '../../ports/store.ts'
import type { Row, Versioned } from '../../tables/declare/table.ts'
import {
  type ListedTransaction,
  side as sides,
  transactionsByAddress as table,
  transactionsByFee,
  transactionsByValue,
} from '../../tables/tables/transactions.ts'
import { firstRowsOfSubjects, range } from '../reading/declared.ts'
import {
  type FirstRows,
  firstOf,
  firstPageRows,
  firstPages,
  pageFromStart,
} from '../reading/first-pages.ts'
import { ascending, clampUint32, clampUint64, uint32Max, uint64Max } from '../reading/parameters.ts'
import { question } from '../reading/question.ts'
import { groupBy } from '../reading/read-by-keys.ts'
import { pageSize } from '../reading/read-limits.ts'
import {
  currentRows,
  type ListSource,
  readList,
  slackRows,
  unfiltered,
  withoutLastGroup,
} from '../reading/read-list.ts'
import type { Keyed } from '../reading/versions.ts'
import {
  mergeSides,
  newestFirst,
  type SideListOptions,
  type TransactionPosition,
} from './merge-sides.ts'
import { readByFee, readByValue } from './transactions-by-amount.ts'

type Transaction = Row<typeof table>

const transactionsOfAddressNewest = range({
  file: new URL('./transactions-of-address-newest.sql', import.meta.url),
  table,
  of: ['address', 'side'],
  after: ['blockNumber', 'index'],
  order: 'reversed',
  budget: { rowsMax: 8_000, bytesMax: 2_000_000 },
})
const transactionsOfAddressOldest = range({
  file: new URL('./transactions-of-address-oldest.sql', import.meta.url),
  table,
  of: ['address', 'side'],
  after: ['blockNumber', 'index'],
  isInclusive: true,
  order: 'key',
  budget: { rowsMax: 8_000, bytesMax: 2_000_000 },
})

/** First pages of addresses with few rows. */
const transactionsOfAddresses = firstRowsOfSubjects({
  file: new URL('./transactions-of-addresses.sql', import.meta.url),
  table,
  order: 'reversed',
  by: ['side'],
  hasLongTexts: true,
  budget: { rowsMax: 300_000, bytesMax: 200_000_000 },
})

const transactionsOfAddressesByValue = firstRowsOfSubjects({
  file: new URL('./transactions-of-addresses-by-value.sql', import.meta.url),
  table: transactionsByValue,
  order: 'reversed',
  by: ['side'],
  hasLongTexts: true,
  budget: { rowsMax: 300_000, bytesMax: 200_000_000 },
})
const transactionsOfAddressesByFee = firstRowsOfSubjects({
  file: new URL('./transactions-of-addresses-by-fee.sql', import.meta.url),
  table: transactionsByFee,
  order: 'reversed',
  by: ['side'],
  hasLongTexts: true,
  budget: { rowsMax: 300_000, bytesMax: 200_000_000 },
})

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

/**
 * Rows of one side or of both, each transaction once.
 *
 * By block: descending, or the exact reverse. By value or fee: that amount in the given `order`,
 * and equal amounts newest first in both orders.
 */
export const transactionsOfAddress = question({
  table,
  subjects: ({ address }: TransactionsOfAddress) => [address],
  read: readTransactions,
  batch: firstOf([
    firstPages({
      subjectOf: (options: TransactionsOfAddress) => subjectOf(options, 'block_number'),
      query: transactionsOfAddresses,
      subjectOfRow: (row) => row.address,
      rowsMax: firstPageRows + slackRows,
      lengthOf: ({ input }) => input?.length ?? 0,
      pageOf: pageFromStart,
      firstRowsOf: (rows) => firstRowsOf(rows, { table, amountOf: () => 0n }),
    }),
    firstPages<TransactionsOfAddress, Address, Row<typeof transactionsByValue>, ListedTransaction>({
      subjectOf: (options) => subjectOf(options, 'value'),
      query: transactionsOfAddressesByValue,
      subjectOfRow: (row) => row.address,
      rowsMax: firstPageRows + slackRows,
      lengthOf: ({ input }) => input?.length ?? 0,
      pageOf: pageFromStart,
      firstRowsOf: (rows) =>
        withTexts(
          firstRowsOf(rows, { table: transactionsByValue, amountOf: ({ value }) => value }),
        ),
    }),
    firstPages<TransactionsOfAddress, Address, Row<typeof transactionsByFee>, ListedTransaction>({
      subjectOf: (options) => subjectOf(options, 'fee'),
      query: transactionsOfAddressesByFee,
      subjectOfRow: (row) => row.address,
      rowsMax: firstPageRows + slackRows,
      lengthOf: ({ input }) => input?.length ?? 0,
      pageOf: pageFromStart,
      firstRowsOf: (rows) =>
        withTexts(firstRowsOf(rows, { table: transactionsByFee, amountOf: ({ fee }) => fee })),
    }),
  ]),
  blockPage: (options, rows) => (options.sort === 'block_number' ? { ...options, rows } : null),
})

function readTransactions(
  store: Store,
  options: TransactionsOfAddress,
): Promise<readonly ListedTransaction[]> {
  const { address, after, order, limit, bytesMax } = options
  const size = pageSize(limit, inputBytes, bytesMax)
  const list = { address, sides: sidesOf(options.filter), order, size }
  switch (options.sort) {
    case 'block_number':
      return byBlock(store, { ...list, after })
    case 'value':
      return readByValue(store, { ...list, after: cursorKey(after, after?.value) })
    case 'fee':
      return readByFee(store, { ...list, after: cursorKey(after, after?.fee) })
  }
}

/** The text of an input is a part of each body. */
const inputBytes = ({ input }: { readonly input: Hex }): number => input.length

function sidesOf(filter: TransactionsOfAddress['filter']): readonly number[] {
  if (filter === null) return [sides.sender, sides.recipient]
  return [filter === 'from' ? sides.sender : sides.recipient]
}

const cursorKey = (after: TransactionPosition | null, amount: bigint | null | undefined) =>
  after === null || amount === null || amount === undefined ? null : { ...after, amount }

async function byBlock(
  store: Store,
  list: SideListOptions<TransactionPosition>,
): Promise<Transaction[]> {
  const readings = list.sides.map((side) => sourceOf(store, list, side))
  const lists = await Promise.all(readings.map((source) => readList(source, list.size, unfiltered)))
  const compare =
    list.order === 'desc'
      ? newestFirst
      : (one: Transaction, other: Transaction) => newestFirst(other, one)
  // A side that ends because a page is full ends behind all that the page shows.
  return mergeSides(lists, compare, list.size.rows)
}

function sourceOf(
  store: Store,
  { address, order, after }: SideListOptions<TransactionPosition>,
  side: number,
): ListSource<Transaction> {
  const start = order === 'desc' ? { blockNumber: uint64Max, index: uint32Max } : null
  return {
    table,
    cursorKey: placeOf,
    fetch: (last, rowsMax, bytesMax) => {
      const place = last ?? after ?? start
      const list = { address: withoutPrefix(address), side, rowsMax }
      const blockNumber = clampUint64(place?.blockNumber ?? 0)
      if (order === 'desc') {
        const index = clampUint32(place?.index ?? 0)
        return transactionsOfAddressNewest.run(store, { ...list, blockNumber, index }, bytesMax)
      }
      const index = clampUint32(place ? place.index + 1 : 0)
      return transactionsOfAddressOldest.run(store, { ...list, blockNumber, index }, bytesMax)
    },
    fetchRowsMax: 1_000,
  }
}

/** Of a first page in descending order of both sides. */
const subjectOf = (
  { address, filter, sort, order, after, limit }: TransactionsOfAddress,
  by: TransactionsOfAddress['sort'],
): Address | null =>
  filter === null && sort === by && order === 'desc' && after === null && limit <= firstPageRows
    ? address
    : null

interface SideRow extends TransactionPosition, Versioned {
  readonly side: number
  readonly hash: Hash
}

/** @returns null if a side has further rows, and its current ones do not fill the page. */
function firstRowsOf<R extends SideRow>(
  rows: readonly R[],
  { table, amountOf }: { readonly table: Keyed<R>; readonly amountOf: (row: R) => bigint },
): FirstRows<R> | null {
  const lists: R[][] = []
  let isWholeList = true
  const cursorKey = (row: R) => `${amountOf(row)}|${placeOf(row)}`
  for (const versions of groupBy(rows, (row) => row.side).values()) {
    const isWhole = versions.length < firstPageRows + slackRows
    const complete = isWhole ? versions : withoutLastGroup(versions, cursorKey)
    const current = currentRows(table, complete, complete)
    if (!isWhole && current.length < firstPageRows) return null
    lists.push(current)
    isWholeList &&= isWhole
  }
  const compare = (one: R, other: R) =>
    ascending(amountOf(other), amountOf(one)) || newestFirst(one, other)
  const limit = isWholeList ? Number.POSITIVE_INFINITY : firstPageRows
  return { rows: mergeSides(lists, compare, limit), isWhole: isWholeList }
}

/** @returns null if texts of a row are missing: they are read by key. */
function withTexts<R extends { readonly input: Hex | null }>(
  first: FirstRows<R> | null,
): FirstRows<R & { readonly input: Hex }> | null {
  const hasText = (row: R): row is R & { readonly input: Hex } => row.input !== null
  if (first === null) return null
  const missing = first.rows.findIndex((row) => row.input === null)
  if (missing === -1) return { ...first, rows: first.rows.filter(hasText) }
  if (missing < firstPageRows) return null
  return { rows: first.rows.slice(0, missing).filter(hasText), isWhole: false }
}

const placeOf = ({ blockNumber, index }: TransactionPosition) => `${blockNumber}|${index}`
