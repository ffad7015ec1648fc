import type { Address } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import { addressLabels as table } from '../tables/address-labels.ts'
import type { Row } from '../tables/table.ts'
import { grouped } from './grouped.ts'
import { lookUp } from './look-up.ts'
import { bare } from './parameters.ts'
import { query } from './query.ts'

export const addressLabels = query({
  file: new URL('./address-labels.sql', import.meta.url),
  table,
  budget: { rowsMax: 60_000, bytesMax: 16_000_000 },
})

/** The facts of each kind about these addresses. */
export async function labelsOfAddresses(
  store: Store,
  addresses: readonly Address[],
): Promise<Map<Address, Row<typeof table>[]>> {
  const parametersOf = (keys: readonly Address[]) => ({ addresses: keys.map(bare) })
  const rows = await lookUp(store, { query: addressLabels, table, parametersOf }, addresses)
  return grouped(rows, (row) => row.address)
}
