import type { Store } from '../ports/store.ts'
import { cachedRows } from '../tables/declare/cached-rows.ts'
import { prices as table } from '../tables/tables/prices.ts'
import { query } from './query.ts'
import { keyedQuestion } from './question.ts'
import { groupBy, readByKeys } from './read-by-keys.ts'

export const pricesQuery = query({
  file: new URL('./prices.sql', import.meta.url),
  table,
  budget: { rowsMax: 20_000, bytesMax: 2_000_000 },
})

/** Decimal strings by moment: `now`, or a day as YYYY-MM-DD. */
export const coinPrices = keyedQuestion({
  table,
  subjects: (moments: readonly string[]) => moments,
  idOf: (moment: string) => moment,
  async read(_store, moments, { subjectRows }): Promise<ReadonlyMap<string, string>> {
    const found = await subjectRows(priceRows, moments)
    return new Map(
      [...found].flatMap(([moment, [row]]) => (row === undefined ? [] : [[moment, row.price]])),
    )
  },
})

const priceRows = {
  table,
  cached: cachedRows(table),
  async read(store: Store, moments: readonly string[]) {
    const parametersOf = (keys: readonly string[]) => ({ moments: keys })
    const rows = await readByKeys(store, { query: pricesQuery, table, parametersOf }, moments)
    return groupBy(rows, (row) => row.moment)
  },
}
