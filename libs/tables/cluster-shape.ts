import type { Store } from '../ports/store.ts'
import { readRows } from './declare/read-rows.ts'

/** A cluster of ClickHouse, as the server that answers has it in its configuration. */
export interface ClusterShape {
  /** Zero where the server knows no cluster of that name. */
  readonly shards: number
  readonly servers: number
}

/** An operator has to name another cluster. */
export class UnusableCluster extends Error {
  override readonly name = 'UnusableCluster'
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
  const read = { sql: shapeSql, parameters: { cluster } }
  const [shape] = await readRows(store, read, (source) => ({
    shards: source.uint64(),
    servers: source.uint64(),
  }))
  return shape ?? { shards: 0, servers: 0 }
}

/**
 * Each server has to hold all rows: of a cluster with shards each would hold a part of them, and
 * the claim of the tables with it.
 * @throws UnusableCluster with one sentence
 */
export function refuseShards(cluster: string, { shards }: ClusterShape): void {
  if (shards === 0) {
    throw new UnusableCluster(
      `the ClickHouse server knows no cluster '${cluster}': --clickhouse-cluster names one of ` +
        'system.clusters',
    )
  }
  if (shards === 1) return
  throw new UnusableCluster(
    `the ClickHouse cluster '${cluster}' has ${shards} shards, and Foldscan's tables are not ` +
      'sharded: name a cluster of one shard whose servers are all replicas with ' +
      '--clickhouse-cluster',
  )
}

/**
 * Whether the loss of one server stops all inserts: they wait for a majority, which of two servers
 * is both.
 */
export const stopsWithOneServer = ({ servers }: ClusterShape): boolean => servers === 2
