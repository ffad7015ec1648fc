import { type Address, type Hex, withoutPrefix } from '../../chain/hex.ts'
import { ResultTooLarge, type Store } from '../../ports/store.ts'
import { feeOf } from '../../tables/tables/transaction-columns.ts'
import {
  type ListedTransaction,
  transactionsByAddress as table,
} from '../../tables/tables/transactions.ts'
import type { SharedRead } from '../reading/batch.ts'
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
import {
  hasTexts,
  mergeSides,
  newestFirst,
  pageOfSides,
  placeInList,
  type SideListOptions,
  type StoredTransaction,
  sidesOf,
  type TransactionPosition,
  type TransactionsOfAddress,
  type WithTexts,
  withLongTexts,
  withTexts,
} from './page-of-sides.ts'
import { readByFee, readByValue } from './transactions-by-amount.ts'

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

const rowsMax = firstPageRows + slackRows

const ofAddresses = {
  query: transactionsOfAddresses,
  subjectOfRow: (row: StoredTransaction) => row.address,
  rowsMax,
  lengthOf: ({ input }: StoredTransaction) => input?.length ?? 0,
  filled: withFewTexts,
} as const

/** Long rows of one address, and of a query, whose texts it reads as well. */
const longOfAddressMax = 16
const longOfQueryMax = 256

/** The list of a contract begins with its creation, whose input is long: few rows of many lists. */
async function withFewTexts(
  store: Store,
  rows: readonly StoredTransaction[],
): Promise<readonly StoredTransaction[]> {
  const lists = groupBy(
    rows.filter((row) => row.isDeleted === 0 && !hasTexts(row)),
    (row) => row.address,
  )
  const long = [...lists.values()].filter(({ length }) => length <= longOfAddressMax).flat()
  const few = long.slice(0, longOfQueryMax)
  try {
    const read = await withTexts(store, few)
    const filled = new Map(few.map((row, at) => [row, read[at] ?? row]))
    return rows.map((row) => filled.get(row) ?? row)
  } catch (error) {
    if (error instanceof ResultTooLarge) return rows
    throw error
  }
}

type Shared = SharedRead<TransactionsOfAddress, readonly ListedTransaction[]>

/** First pages in descending order of both sides by block. */
const newestOfAddresses: Shared = firstPages({
  ...ofAddresses,
  subjectOf({ address, filter, sort, order, after, limit }: TransactionsOfAddress): Address | null {
    const isNewest = filter === null && sort === 'block_number' && order === 'desc'
    return isNewest && after === null && limit <= firstPageRows ? address : null
  },
  firstRowsOf: newestOfBothSides,
  pageOf: pageFromStart,
})

/** First pages by value or fee, of addresses all of whose rows the query returns: sorted here. */
const wholeLists: Shared = firstPages({
  ...ofAddresses,
  subjectOf: ({ address, sort, after, limit }: TransactionsOfAddress): Address | null =>
    sort !== 'block_number' && after === null && limit <= firstPageRows ? address : null,
  firstRowsOf: wholeList,
  pageOf: pageByAmount,
})

const bySide = (rows: readonly StoredTransaction[]) => [
  ...groupBy(rows, (row) => row.side).values(),
]

/** @returns null if a side has further rows, and its current ones do not fill the page. */
function newestOfBothSides(rows: readonly StoredTransaction[]): FirstRows<WithTexts> | null {
  const lists: StoredTransaction[][] = []
  let isWholeList = true
  for (const versions of bySide(rows)) {
    const isWhole = versions.length < rowsMax
    const complete = isWhole ? versions : withoutLastGroup(versions, placeInList)
    const current = currentRows(table, complete, complete)
    if (!isWhole && current.length < firstPageRows) return null
    lists.push(current)
    isWholeList &&= isWhole
  }
  const limit = isWholeList ? Number.POSITIVE_INFINITY : firstPageRows
  return firstPageWithTexts({ rows: mergeSides(lists, newestFirst, limit), isWhole: isWholeList })
}

/** @returns null if texts of a row of the first page are missing: it is read alone. */
function firstPageWithTexts(first: FirstRows<StoredTransaction>): FirstRows<WithTexts> | null {
  const missing = first.rows.findIndex((row) => !hasTexts(row))
  if (missing === -1) return { ...first, rows: first.rows.filter(hasTexts) }
  if (missing < firstPageRows) return null
  return { rows: first.rows.slice(0, missing).filter(hasTexts), isWhole: false }
}

/** Of both sides, unsorted. @returns null if there are further rows, or texts of one are missing */
function wholeList(rows: readonly StoredTransaction[]): FirstRows<WithTexts> | null {
  if (bySide(rows).some((versions) => versions.length >= rowsMax)) return null
  const current = currentRows(table, rows, rows)
  return current.every(hasTexts) ? { rows: current, isWhole: true } : null
}

function pageByAmount(
  { rows }: FirstRows<WithTexts>,
  { filter, sort, order, limit }: TransactionsOfAddress,
): readonly WithTexts[] {
  const amountOf = sort === 'value' ? (row: WithTexts) => row.value : feeOf
  const sides = sidesOf(filter)
  const sided = rows.filter(({ side }) => sides.includes(side))
  const rising = order === 'desc' ? -1 : 1
  const compare = (one: WithTexts, other: WithTexts) =>
    rising * ascending(amountOf(one), amountOf(other)) || newestFirst(one, other)
  return mergeSides([sided], compare, limit)
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
  batch: firstOf([newestOfAddresses, wholeLists]),
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
      return readByBlock(store, { ...list, after })
    case 'value':
      return readByValue(store, { ...list, after: cursorKey(after, after?.value) })
    case 'fee':
      return readByFee(store, { ...list, after: cursorKey(after, after?.fee) })
  }
}

/** The text of an input is a part of each body. */
const inputBytes = ({ input }: { readonly input: Hex }): number => input.length

const cursorKey = (after: TransactionPosition | null, amount: bigint | null | undefined) =>
  after === null || amount === null || amount === undefined ? null : { ...after, amount }

function readByBlock(
  store: Store,
  list: SideListOptions<TransactionPosition>,
): Promise<ListedTransaction[]> {
  return pageOfSides<TransactionPosition, StoredTransaction>(list, {
    readSide: (side, after, limit) =>
      readList(sourceOf(store, { ...list, after }, side), limit, unfiltered),
    compare: list.order === 'desc' ? newestFirst : (one, other) => newestFirst(other, one),
    complete: (rows) => withLongTexts(store, rows),
  })
}

function sourceOf(
  store: Store,
  { address, order, after }: SideListOptions<TransactionPosition>,
  side: number,
): ListSource<StoredTransaction> {
  const start = order === 'desc' ? { blockNumber: uint64Max, index: uint32Max } : null
  return {
    table,
    cursorKey: placeInList,
    fetch: (last, rowsMax) => {
      const place = last ?? after ?? start
      const list = { address: withoutPrefix(address), side, rowsMax }
      const blockNumber = clampUint64(place?.blockNumber ?? 0)
      if (order === 'desc') {
        const index = clampUint32(place?.index ?? 0)
        return transactionsOfAddressNewest.run(store, { ...list, blockNumber, index })
      }
      const index = clampUint32(place ? place.index + 1 : 0)
      return transactionsOfAddressOldest.run(store, { ...list, blockNumber, index })
    },
    fetchRowsMax: 1_000,
  }
}
