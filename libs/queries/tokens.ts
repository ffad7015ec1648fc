import type { Address } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import type { Row } from '../tables/table.ts'
import { tokenState } from '../tables/token-state.ts'
import { withoutPrefix } from './parameters.ts'
import { query } from './query.ts'
import { readByKeys } from './read-by-keys.ts'

export const tokens = query({
  file: new URL('./tokens.sql', import.meta.url),
  table: tokenState,
  budget: { rowsMax: 128_000, bytesMax: 8_000_000 },
})

/** What is known of these tokens; those that are none are missing. */
export async function tokenStates(
  store: Store,
  addresses: readonly Address[],
): Promise<Map<Address, Row<typeof tokenState>>> {
  const parametersOf = (keys: readonly Address[]) => ({ tokens: keys.map(withoutPrefix) })
  const rows = await readByKeys(
    store,
    { query: tokens, table: tokenState, parametersOf },
    addresses,
  )
  return new Map(rows.map((row) => [row.token, row]))
}
