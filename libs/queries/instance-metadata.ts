import type { Store } from '../ports/store.ts'
import { instanceMetadata as table } from '../tables/instance-metadata.ts'
import type { Row } from '../tables/table.ts'
import { type InstanceKey, instanceKey, instanceParameters } from './instances.ts'
import { lookUp } from './look-up.ts'
import { query } from './query.ts'

export const instanceMetadata = query({
  file: new URL('./instance-metadata.sql', import.meta.url),
  table,
  budget: { rowsMax: 60_000, bytesMax: 64_000_000 },
})

/** By `instanceKey`. */
export async function metadataOfInstances(
  store: Store,
  keys: readonly InstanceKey[],
): Promise<Map<string, Row<typeof table>>> {
  const form = { query: instanceMetadata, table, parametersOf: instanceParameters }
  const rows = await lookUp(store, form, keys)
  return new Map(rows.map((row) => [instanceKey(row), row]))
}
