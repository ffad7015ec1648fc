import type { Store } from '../ports/store.ts'
import { prices as table } from '../tables/prices.ts'
import type { Row } from '../tables/table.ts'
import { query } from './query.ts'
import { readByKeys } from './read-by-keys.ts'

export const prices = query({
  file: new URL('./prices.sql', import.meta.url),
  table,
  budget: { rowsMax: 20_000, bytesMax: 2_000_000 },
})

/** By moment: `now`, or a day as YYYY-MM-DD. */
export async function priceRowsAt(
  store: Store,
  moments: readonly string[],
): Promise<Map<string, Row<typeof table>>> {
  const parametersOf = (keys: readonly string[]) => ({ moments: keys })
  const rows = await readByKeys(store, { query: prices, table, parametersOf }, moments)
  return new Map(rows.map((row) => [row.moment, row]))
}

/** Decimal strings by moment. */
export async function pricesAt(
  store: Store,
  moments: readonly string[],
): Promise<Map<string, string>> {
  const rows = await priceRowsAt(store, moments)
  return new Map([...rows].map(([moment, { price }]) => [moment, price]))
}
