import type { Store } from '../ports/store.ts'
import { holders as table } from '../tables/holders.ts'
import { type Holder, type HolderPlace, inOrder, isBeyond } from './holders-in-order.ts'
import { bare } from './parameters.ts'
import { query } from './query.ts'
import { alive, withoutLastPlace } from './reading.ts'

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

/** Besides the rows wanted: old versions, and holders who have left or have another value. */
const slackRows = 128

export interface HoldersOfRun {
  /** As queries take them. */
  readonly list: { readonly token: string; readonly band: number; readonly knownFrom: number }
  /** No living row of the band beyond it has a greater value. */
  readonly from: HolderPlace
  readonly limit: number
}

/**
 * Holders of exactly the value of `from`, as they follow in the list. They lie in its order, so
 * that an airdrop of a million equal balances is read by the page.
 * @returns null where one fetch does not fill the page: then other values may be next.
 */
export async function holdersOfRun(
  store: Store,
  { list, from, limit }: HoldersOfRun,
): Promise<Holder[] | null> {
  const rowsMax = limit + slackRows
  const place = { holder: bare(from.holder), rowsMax }
  const rows = await holdersOfRunByKey.ask(store, { ...list, ...place })
  const whole = rows.length < rowsMax ? rows : withoutLastPlace(rows, ({ holder }) => holder)
  const equal = alive(table, whole, whole)
    .filter((row) => row.value === from.value)
    .filter(isBeyond(from))
    .sort(inOrder)
  return equal.length < limit ? null : equal.slice(0, limit)
}

/** The greatest value that any version of any row of the band has; null where it has no rows. */
export async function greatestOfBand(
  store: Store,
  list: HoldersOfRun['list'],
): Promise<bigint | null> {
  const [row] = await holdersGreatest.ask(store, { ...list, rowsMax: 1 })
  return row?.value ?? null
}
