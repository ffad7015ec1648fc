import { type Address, withoutPrefix } from '../chain/hex.ts'
import type { Row } from '../tables/declare/table.ts'
import { addressState as table } from '../tables/tables/addresses.ts'
import { query } from './query.ts'
import { keyedQuestion } from './question.ts'
import { readByKeys } from './read-by-keys.ts'

const addressesQuery = query({
  file: new URL('./addresses.sql', import.meta.url),
  table,
  budget: { rowsMax: 128_000, bytesMax: 8_000_000 },
})

/** States of these addresses; plain accounts have none and are missing. */
export const addressStates = keyedQuestion({
  table,
  subjects: (wanted: readonly Address[]) => wanted,
  idOf: (address: Address) => address,
  async read(store, wanted): Promise<ReadonlyMap<Address, Row<typeof table>>> {
    const parametersOf = (keys: readonly Address[]) => ({ addresses: keys.map(withoutPrefix) })
    const rows = await readByKeys(store, { query: addressesQuery, table, parametersOf }, wanted)
    return new Map(rows.map((row) => [row.address, row]))
  },
})
