import { type Address, withoutPrefix } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import { cachedRows } from '../tables/declare/cached-rows.ts'
import type { Row } from '../tables/declare/table.ts'
import { tokenMarket as table } from '../tables/tables/tokens.ts'
import { query } from './query.ts'
import { groupBy, readByKeys } from './read-by-keys.ts'

export const tokenMarketQuery = query({
  file: new URL('./token-market.sql', import.meta.url),
  table,
  budget: { rowsMax: 60_000, bytesMax: 16_000_000 },
})

/** The facts of each kind about these tokens. */
export async function marketOfTokens(
  store: Store,
  tokens: readonly Address[],
): Promise<Map<Address, Row<typeof table>[]>> {
  const parametersOf = (keys: readonly Address[]) => ({ tokens: keys.map(withoutPrefix) })
  const rows = await readByKeys(store, { query: tokenMarketQuery, table, parametersOf }, tokens)
  return groupBy(rows, (row) => row.token)
}

export const marketRows = { table, cached: cachedRows(table), read: marketOfTokens }
