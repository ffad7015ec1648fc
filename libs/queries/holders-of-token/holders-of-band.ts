import { type Address, address, withoutPrefix } from '../../chain/hex.ts'
import type { Store } from '../../ports/store.ts'
import { bandOf } from '../../tables/declare/band.ts'
import type { Row } from '../../tables/declare/table.ts'
import { part as parts } from '../../tables/tables/balances.ts'
import { holders as table } from '../../tables/tables/holders.ts'
import { isShown } from '../../tables/tables/tokens.ts'
import { range } from '../reading/declared.ts'
import { ascending, uint256Max } from '../reading/parameters.ts'
import { query } from '../reading/query.ts'
import {
  currentRows,
  type ListSource,
  readList,
  unfiltered,
  withoutLastGroup,
} from '../reading/read-list.ts'

export type Holder = Row<typeof table>
export type HolderPlace = Pick<Holder, 'value' | 'holder' | 'part' | 'tokenId'>

/** ClickHouse reads the whole band: the budget is that of a band of 20,000 rows. */
const holdersOfBand = query({
  file: new URL('./holders-of-band.sql', import.meta.url),
  table,
  budget: { rowsMax: 124_000, bytesMax: 10_000_000 },
})
/** A part of one band, from a holder on. */
const holdersOfRunByKey = range({
  file: new URL('./holders-of-run.sql', import.meta.url),
  table,
  of: ['token', 'band'],
  after: ['holder'],
  isInclusive: true,
  order: 'key',
  budget: { rowsMax: 16_000, bytesMax: 1_000_000 },
})

/** Before all holders. */
export const firstPlace: HolderPlace = {
  value: uint256Max,
  holder: address(`0x${'f'.repeat(40)}`),
  part: parts.instance,
  tokenId: uint256Max,
}

/** Value, holder, part and token id descending. */
export const inOrder = (one: HolderPlace, other: HolderPlace): number =>
  ascending(other.value, one.value) ||
  ascending(other.holder, one.holder) ||
  ascending(other.part, one.part) ||
  ascending(other.tokenId, one.tokenId)

export const isBeyond =
  (after: HolderPlace | null) =>
  (row: HolderPlace): boolean =>
    after === null || inOrder(after, row) < 0

interface HoldersOfBand {
  readonly token: Address
  readonly band: number
  /** The band's first rows in key order. */
  readonly some: readonly Holder[]
  readonly after: HolderPlace | null
  readonly limit: number
  readonly knownFrom: number
  /** Of the token, see `isShown`. */
  readonly shownSince: number
}

/**
 * A part of a band too large to read as a whole, in the order of the list. A value that many of
 * `some` have is probably that of an airdrop: its holders are read in key order, those above it
 * apart from them, as ClickHouse skips granules without a greater value.
 */
export async function readBand(
  store: Store,
  { token, band, some, after, limit, knownFrom, shownSince }: HoldersOfBand,
): Promise<Holder[]> {
  const list = { token: withoutPrefix(token), band, knownFrom, shownSince }
  const found: Holder[] = []
  let from = after !== null && bandOf(after.value) === band ? after : firstPlace
  for (const value of frequentValues(some).filter((value) => value <= from.value)) {
    if (value < from.value) {
      const above = { list, from, limit: limit - found.length, least: value + 1n }
      found.push(...(await sorted(store, above)))
      if (found.length === limit) return found
      from = { ...firstPlace, value }
    }
    const run = { list, from, limit: limit - found.length }
    found.push(
      ...((await holdersOfRun(store, run)) ?? (await sorted(store, { ...run, least: value }))),
    )
    if (found.length === limit) return found
    from = { ...lastPlace, value }
  }
  found.push(...(await sorted(store, { list, from, limit: limit - found.length, least: 0n })))
  return found
}

/** Behind all holders of its value. */
const lastPlace: Omit<HolderPlace, 'value'> = {
  holder: address(`0x${'0'.repeat(40)}`),
  part: parts.fungible,
  tokenId: 0n,
}

/** Of a thousand rows: as many as one fetch of a run needs to fill a page. */
const frequentMin = 256

/** Values of so many rows, the greatest first. */
function frequentValues(rows: readonly Holder[]): bigint[] {
  const counts = new Map<bigint, number>()
  for (const { value, isDeleted } of rows) {
    if (isDeleted === 0) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  const frequent = [...counts].filter(([, count]) => count >= frequentMin)
  return frequent.map(([value]) => value).sort((one, other) => ascending(other, one))
}

interface ListParameters {
  readonly token: string
  readonly band: number
  readonly knownFrom: number
  readonly shownSince: number
}

interface HoldersOfRun {
  /** Query parameters. */
  readonly list: ListParameters
  /** No current row of the band after it has a greater value. */
  readonly from: HolderPlace
  readonly limit: number
}

/** Values from `least` on, sorted by ClickHouse, each row checked against all its versions. */
function sorted(
  store: Store,
  { list, from, limit, least }: HoldersOfRun & { readonly least: bigint },
): Promise<Holder[]> {
  let versions: readonly Holder[] = []
  const source: ListSource<Holder> = {
    table,
    cursorKey: (row) => `${row.value}|${row.holder}|${row.part}|${row.tokenId}`,
    async fetch(last, rowsMax) {
      const { value, holder, part, tokenId } = last ?? from
      const place = { value, holder: withoutPrefix(holder), part, tokenId }
      versions = await holdersOfBand.run(store, { ...list, ...place, least, rowsMax })
      // Other versions of the same keys may lie in the list, too, behind those that were found.
      return versions
        .filter((row) => row.isDeleted === 0 && row.value >= least && isShown(row, list))
        .filter(isBeyond(last ?? from))
        .sort(inOrder)
        .slice(0, rowsMax)
    },
    fetchRowsMax: 1_000,
    versionsOf: async () => versions,
  }
  return readList(source, limit, unfiltered)
}

/** Rows in addition to the requested ones: old versions, tombstones, holders with other values. */
const slackRows = 128

/**
 * Holders of exactly the value of `from`, in the order of the list, which is that of the key: an
 * airdrop of a million equal balances is read page by page.
 * @returns null if one fetch neither fills the page nor has the last of them.
 */
export async function holdersOfRun(
  store: Store,
  { list, from, limit }: HoldersOfRun,
): Promise<Holder[] | null> {
  const rowsMax = limit + slackRows
  const place = { holder: withoutPrefix(from.holder), rowsMax }
  const { shownSince: _filtered, ...parameters } = list
  const rows = await holdersOfRunByKey.run(store, { ...parameters, ...place })
  const isLast = rows.length < rowsMax
  const whole = isLast ? rows : withoutLastGroup(rows, ({ holder }) => holder)
  const equal = currentRows(table, whole, whole)
    .filter((row) => row.value === from.value && isShown(row, list))
    .filter(isBeyond(from))
    .sort(inOrder)
  return isLast || equal.length >= limit ? equal.slice(0, limit) : null
}
