import type { Store } from '../ports/store.ts'
import { StartupError } from '../signals/startup-error.ts'
import { RowSource } from './row-binary.ts'

/** A cluster of ClickHouse, as the server that answers has it in its configuration. */
export interface ClusterShape {
  /** Zero where the server knows no cluster of that name. */
  readonly shards: number
  readonly servers: number
}

const shapeSql = `
SELECT toUInt64(max(shard_num)), toUInt64(count())
FROM system.clusters
WHERE cluster = {cluster:String}`

/** @throws StoreDenied without SELECT on system.clusters */
export async function clusterShape(
  store: Pick<Store, 'query'>,
  cluster: string,
): Promise<ClusterShape> {
  const source = new RowSource(await store.query(shapeSql, { cluster }))
  return { shards: source.uint64(), servers: source.uint64() }
}

/**
 * Each server has to hold all rows: of a cluster with shards each would hold a part of them, and
 * the claim of the tables with it.
 * @throws StartupError
 */
export function refuseShards(cluster: string, { shards }: ClusterShape): void {
  if (shards === 0) {
    throw new StartupError(
      `The ClickHouse server knows no cluster '${cluster}': --clickhouse-cluster names one of ` +
        'system.clusters.',
    )
  }
  if (shards === 1) return
  throw new StartupError(
    `The ClickHouse cluster '${cluster}' has ${shards} shards, and Foldscan's tables are not ` +
      'sharded: name a cluster of one shard whose servers are all replicas with ' +
      '--clickhouse-cluster.',
  )
}

/**
 * Whether the loss of one server stops all inserts: they wait for a majority, which of two servers
 * is both.
 */
export const stopsWithOneServer = ({ servers }: ClusterShape): boolean => servers === 2
