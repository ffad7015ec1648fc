import { type Address, withoutPrefix } from '../../chain/hex.ts'
import type { Store } from '../../ports/store.ts'
import { bandOf } from '../../tables/band.ts'
import { holders as table } from '../../tables/holders.ts'
import { query } from '../query.ts'
import {
  currentRows,
  type ListSource,
  readList,
  unfiltered,
  withoutLastGroup,
} from '../read-list.ts'
import { firstPlace, type Holder, type HolderPlace, inOrder, isBeyond } from './holders-in-order.ts'

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
export const holdersGreatest = query({
  file: new URL('./holders-greatest.sql', import.meta.url),
  table,
  budget: { rowsMax: 60_000, bytesMax: 4_000_000 },
})

interface HoldersOfBand {
  readonly token: Address
  readonly band: number
  readonly after: HolderPlace | null
  readonly limit: number
  readonly knownFrom: number
}

/** A part of a band too large to read as a whole, in the order of the list. */
export async function readBand(
  store: Store,
  { token, band, after, limit, knownFrom }: HoldersOfBand,
): Promise<Holder[]> {
  const list = { token: withoutPrefix(token), band, knownFrom }
  const isInside = after !== null && bandOf(after.value) === band
  const value = isInside ? after.value : await greatestOfBand(store, list)
  if (value === null) return []
  const from = isInside ? after : { ...firstPlace, value }
  return (await holdersOfRun(store, { list, from, limit })) ?? sorted(store, { list, from, limit })
}

/** Sorted by ClickHouse, each row checked against all its versions. */
function sorted(store: Store, { list, from, limit }: HoldersOfRun): Promise<Holder[]> {
  const fetch = (last: Holder | null, rowsMax: number) => {
    const { value, holder, part, tokenId } = last ?? from
    const place = { value, holder: withoutPrefix(holder), part, tokenId }
    return holdersOfBand.run(store, { ...list, ...place, rowsMax })
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

/** Rows in addition to the wanted ones: old versions, and holders with another value or none. */
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

/** The greatest value in any version of a row of the band; null for an empty band. */
async function greatestOfBand(store: Store, list: HoldersOfRun['list']): Promise<bigint | null> {
  const [row] = await holdersGreatest.run(store, { ...list, rowsMax: 1 })
  return row?.value ?? null
}
