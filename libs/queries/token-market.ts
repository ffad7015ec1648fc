import type { Address } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import type { Row } from '../tables/table.ts'
import { tokenMarket as table } from '../tables/token-market.ts'
import { grouped } from './grouped.ts'
import { lookUp } from './look-up.ts'
import { bare } from './parameters.ts'
import { query } from './query.ts'

export const tokenMarket = query({
  file: new URL('./token-market.sql', import.meta.url),
  table,
  budget: { rowsMax: 60_000, bytesMax: 16_000_000 },
})

/** The facts of each kind about these tokens. */
export async function marketOfTokens(
  store: Store,
  tokens: readonly Address[],
): Promise<Map<Address, Row<typeof table>[]>> {
  const parametersOf = (keys: readonly Address[]) => ({ tokens: keys.map(bare) })
  const rows = await lookUp(store, { query: tokenMarket, table, parametersOf }, tokens)
  return grouped(rows, (row) => row.token)
}
