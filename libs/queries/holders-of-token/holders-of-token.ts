import { type Address, address, withoutPrefix } from '../../chain/hex.ts'
import type { Store } from '../../ports/store.ts'
import { part as parts } from '../../tables/balances.ts'
import { bandMax, bandOf } from '../../tables/band.ts'
import { holders as table } from '../../tables/holders.ts'
import type { Row } from '../../tables/table.ts'
import { firstPages } from '../first-pages.ts'
import { ascending, uint256Max } from '../parameters.ts'
import { query } from '../query.ts'
import { question } from '../question.ts'
import { ReadLimitExceeded } from '../read-limits.ts'
import {
  currentRows,
  type ListSource,
  readList,
  unfiltered,
  withoutLastGroup,
} from '../read-list.ts'
import type { RunOptions } from '../run-options.ts'

export const holdersOfTokenByBand = query({
  file: new URL('./holders-of-token.sql', import.meta.url),
  table,
  budget: { rowsMax: 16_000, bytesMax: 1_000_000 },
})
/** Reads the rows that it skips: the budget is that of 100,000 tombstones. */
export const holdersSkipping = query({
  file: new URL('./holders-skipping.sql', import.meta.url),
  table,
  budget: { rowsMax: 150_000, bytesMax: 4_000_000 },
})

/** All pages of tokens with few holders. */
export const holdersOfTokens = query({
  file: new URL('./holders-of-tokens.sql', import.meta.url),
  table,
  budget: { rowsMax: 300_000, bytesMax: 100_000_000 },
})

export interface HoldersOfToken {
  readonly token: Address
  /**
   * `tokenId` null: strictly after value and holder, whatever the ids. That is also the place of a
   * fungible balance, which comes after the instances of the same holder and value.
   */
  readonly after: {
    readonly value: bigint
    readonly holder: Address
    readonly tokenId: bigint | null
  } | null
  readonly limit: number
}

/** Rows of a fetch; a band with more is sorted by the engine. */
const bandRowsMax = 1_024
/** Fetches of one page; each passes at least one band. */
const fetchesMax = 64

/** Value descending, then holder, then token id descending. */
export const holdersOfToken = question({
  table,
  subjects: ({ token }: HoldersOfToken) => [token],
  read: readHolders,
  batch: firstPages({
    subjectOf: ({ token }: HoldersOfToken) => token,
    query: holdersOfTokens,
    subjectOfRow: (row) => row.token,
    rowsMax: bandRowsMax,
    // In the order of the list only once all rows are there.
    firstRowsOf: (rows) =>
      rows.length < bandRowsMax
        ? { rows: currentRows(table, rows, rows).sort(inOrder), isWhole: true }
        : null,
    pageOf: ({ rows }, { after, limit }) =>
      rows.filter(isBeyond(after && cursorKey(after))).slice(0, limit),
    parametersOf: ({ knownFrom = 0 }) => ({ knownFrom }),
  }),
})

async function readHolders(
  store: Store,
  options: HoldersOfToken,
  { knownFrom }: RunOptions,
): Promise<readonly Holder[]> {
  const { token, limit } = options
  const after = options.after ? cursorKey(options.after) : null
  const found: Holder[] = []
  let band: number | null = after ? bandOf(after.value) : bandMax
  for (let fetches = 0; fetches < fetchesMax; fetches++) {
    if (band === null) return found
    const foundBefore = found.length
    const bounds = { token: withoutPrefix(token), band, rowsMax: bandRowsMax, knownFrom }
    const rows: Holder[] = await holdersOfTokenByBand.run(store, bounds)
    const cut = rows.length < bandRowsMax ? null : (rows.at(-1)?.band ?? null)
    const whole = rows.filter((row) => row.band !== cut)
    found.push(...currentRows(table, whole, whole).filter(isBeyond(after)).sort(inOrder))
    if (cut === null || found.length >= limit) return found.slice(0, limit)
    band = cut
    if (whole.length === 0) {
      // It does not fit: a large band, perhaps an airdrop of a million equal balances.
      const values = rows.map(({ value }) => value)
      const [greatest = 0n] = values.sort((one, other) => ascending(other, one))
      const list = { token, band: cut, greatest, after, limit: limit - found.length, knownFrom }
      found.push(...(await readBand(store, list)))
      if (found.length >= limit || cut === 0) return found
      band = cut - 1
    }
    if (found.length === foundBefore) band = await bandOfNextRow(store, { token, band, knownFrom })
  }
  throw new ReadLimitExceeded(table.name, fetchesMax * bandRowsMax)
}

/** The row may be an old version: then its band is read without result, but no band is skipped. */
async function bandOfNextRow(
  store: Store,
  { token, band, knownFrom }: { token: Address; band: number; knownFrom: number },
): Promise<number | null> {
  const bounds = { token: withoutPrefix(token), band, knownFrom, rowsMax: 1 }
  const [row] = await holdersSkipping.run(store, bounds)
  return row?.band ?? null
}

function cursorKey(after: NonNullable<HoldersOfToken['after']>): HolderPlace {
  const { value, holder, tokenId } = after
  if (tokenId === null) return { value, holder, part: parts.fungible, tokenId: 0n }
  return { value, holder, part: parts.instance, tokenId }
}

export type Holder = Row<typeof table>
export type HolderPlace = Pick<Holder, 'value' | 'holder' | 'part' | 'tokenId'>

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

/** ClickHouse reads the whole band: the budget is that of a band of 20,000 rows. */
export const holdersOfBand = query({
  file: new URL('./holders-of-band.sql', import.meta.url),
  table,
  budget: { rowsMax: 60_000, bytesMax: 6_000_000 },
})
export const holdersVersions = query({
  file: new URL('./holders-versions.sql', import.meta.url),
  table,
  budget: { rowsMax: 64_000, bytesMax: 4_000_000 },
})

export const holdersOfRunByKey = query({
  file: new URL('./holders-of-run.sql', import.meta.url),
  table,
  budget: { rowsMax: 16_000, bytesMax: 1_000_000 },
})
interface HoldersOfBand {
  readonly token: Address
  readonly band: number
  /** The greatest value of some of its rows. */
  readonly greatest: bigint
  readonly after: HolderPlace | null
  readonly limit: number
  readonly knownFrom: number
}

/**
 * A part of a band too large to read as a whole, in the order of the list. Values above those of
 * some rows are usually few, and ClickHouse skips granules without one; what follows is often a run
 * of equal balances, as of an airdrop.
 */
export async function readBand(
  store: Store,
  { token, band, greatest, after, limit, knownFrom }: HoldersOfBand,
): Promise<Holder[]> {
  const list = { token: withoutPrefix(token), band, knownFrom }
  const isInside = after !== null && bandOf(after.value) === band
  const start = isInside ? after : firstPlace
  const equal = isInside ? await holdersOfRun(store, { list, from: start, limit }) : null
  if (equal !== null) return equal
  if (start.value <= greatest) return sorted(store, { list, from: start, limit }, 0n)
  const above = await sorted(store, { list, from: start, limit }, greatest + 1n)
  if (above.length === limit) return above
  const rest = { list, from: { ...firstPlace, value: greatest }, limit: limit - above.length }
  return [...above, ...((await holdersOfRun(store, rest)) ?? (await sorted(store, rest, 0n)))]
}

/** Values from `least` on, sorted by ClickHouse, each row checked against all its versions. */
function sorted(
  store: Store,
  { list, from, limit }: HoldersOfRun,
  least: bigint,
): Promise<Holder[]> {
  const fetch = (last: Holder | null, rowsMax: number) => {
    const { value, holder, part, tokenId } = last ?? from
    const place = { value, holder: withoutPrefix(holder), part, tokenId }
    return holdersOfBand.run(store, { ...list, ...place, least, rowsMax })
  }
  const source: ListSource<Holder> = {
    table,
    cursorKey: (row) => `${row.value}|${row.holder}|${row.part}|${row.tokenId}`,
    fetch,
    fetchRowsMax: 1_000,
    versionsOf: (rows) =>
      holdersVersions.run(store, {
        ...list,
        holders: rows.map(({ holder }) => withoutPrefix(holder)),
        parts: rows.map((row) => row.part),
        tokenIds: rows.map(({ tokenId }) => tokenId),
      }),
  }
  return readList(source, limit, unfiltered)
}

/** Rows in addition to the requested ones: old versions, tombstones, holders with other values. */
const slackRows = 128

interface HoldersOfRun {
  /** Query parameters. */
  readonly list: { readonly token: string; readonly band: number; readonly knownFrom: number }
  /** No current row of the band after it has a greater value. */
  readonly from: HolderPlace
  readonly limit: number
}

/**
 * Holders of exactly the value of `from`, in the order of the list, which is that of the key: an
 * airdrop of a million equal balances is read page by page.
 * @returns null if one fetch does not fill the page: then other values may be next.
 */
export async function holdersOfRun(
  store: Store,
  { list, from, limit }: HoldersOfRun,
): Promise<Holder[] | null> {
  const rowsMax = limit + slackRows
  const place = { holder: withoutPrefix(from.holder), rowsMax }
  const rows = await holdersOfRunByKey.run(store, { ...list, ...place })
  const whole = rows.length < rowsMax ? rows : withoutLastGroup(rows, ({ holder }) => holder)
  const equal = currentRows(table, whole, whole)
    .filter((row) => row.value === from.value)
    .filter(isBeyond(from))
    .sort(inOrder)
  return equal.length < limit ? null : equal.slice(0, limit)
}
