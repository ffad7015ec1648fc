import type { Address } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import { addressState } from '../tables/address-state.ts'
import type { Row } from '../tables/table.ts'
import { withoutPrefix } from './parameters.ts'
import { query } from './query.ts'
import { readByKeys } from './read-by-keys.ts'

export const addresses = query({
  file: new URL('./addresses.sql', import.meta.url),
  table: addressState,
  budget: { rowsMax: 128_000, bytesMax: 8_000_000 },
})

/** What is known of these addresses; those that are nothing but accounts are missing. */
export async function addressStates(
  store: Store,
  wanted: readonly Address[],
): Promise<Map<Address, Row<typeof addressState>>> {
  const parametersOf = (keys: readonly Address[]) => ({ addresses: keys.map(withoutPrefix) })
  const rows = await readByKeys(
    store,
    { query: addresses, table: addressState, parametersOf },
    wanted,
  )
  return new Map(rows.map((row) => [row.address, row]))
}
