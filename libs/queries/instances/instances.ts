import { type Address, withoutPrefix } from '../../chain/hex.ts'
import type { Store } from '../../ports/store.ts'
import type { Row } from '../../tables/declare/table.ts'
import { instanceMetadata as metadata, instances as table } from '../../tables/tables/instances.ts'
import { query } from '../reading/query.ts'
import { keyedQuestion } from '../reading/question.ts'
import { readByKeys } from '../reading/read-by-keys.ts'

const instancesQuery = query({
  file: new URL('./instances.sql', import.meta.url),
  table,
  budget: { rowsMax: 128_000, bytesMax: 8_000_000 },
})

export interface InstanceKey {
  readonly token: Address
  readonly tokenId: bigint
}

/** Key of an instance in maps. */
export const instanceKey = (key: InstanceKey): string => table.keyOf(key)

const instanceParameters = (keys: readonly InstanceKey[]) => ({
  tokens: keys.map(({ token }) => withoutPrefix(token)),
  tokenIds: keys.map(({ tokenId }) => tokenId),
})

/** By `instanceKey`; instances without a row since the log's last hole are missing. */
export const instancesByKey = keyedQuestion({
  table,
  subjects: (keys: readonly InstanceKey[]) => keys.map(instanceKey),
  idOf: instanceKey,
  async read(store, keys, { knownFrom }): Promise<ReadonlyMap<string, Row<typeof table>>> {
    const parametersOf = (some: readonly InstanceKey[]) => ({
      ...instanceParameters(some),
      knownFrom,
    })
    const options = { query: instancesQuery, table, parametersOf }
    const rows = await readByKeys(store, options, keys)
    return new Map(rows.map((row) => [instanceKey(row), row]))
  },
})

const instanceMetadataQuery = query({
  file: new URL('./instance-metadata.sql', import.meta.url),
  table: metadata,
  budget: { rowsMax: 60_000, bytesMax: 64_000_000 },
})

/** By `instanceKey`. */
export async function metadataOfInstances(
  store: Store,
  keys: readonly InstanceKey[],
): Promise<Map<string, Row<typeof metadata>>> {
  const options = {
    query: instanceMetadataQuery,
    table: metadata,
    parametersOf: instanceParameters,
  }
  const rows = await readByKeys(store, options, keys)
  return new Map(rows.map((row) => [instanceKey(row), row]))
}
