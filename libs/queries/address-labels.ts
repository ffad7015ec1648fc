import { type Address, withoutPrefix } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import { cachedRows } from '../tables/declare/cached-rows.ts'
import type { Row } from '../tables/declare/table.ts'
import { addressLabels as table } from '../tables/tables/addresses.ts'
import { query } from './query.ts'
import { groupBy, readByKeys } from './read-by-keys.ts'

export const addressLabelsQuery = query({
  file: new URL('./address-labels.sql', import.meta.url),
  table,
  budget: { rowsMax: 60_000, bytesMax: 16_000_000 },
})

/** The facts of each kind about these addresses. */
export async function labelsOfAddresses(
  store: Store,
  addresses: readonly Address[],
): Promise<Map<Address, Row<typeof table>[]>> {
  const parametersOf = (keys: readonly Address[]) => ({ addresses: keys.map(withoutPrefix) })
  const rows = await readByKeys(
    store,
    { query: addressLabelsQuery, table, parametersOf },
    addresses,
  )
  return groupBy(rows, (row) => row.address)
}

export const labelRows = { table, cached: cachedRows(table), read: labelsOfAddresses }
