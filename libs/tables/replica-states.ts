import { replicaUptimeMin, type Store } from '../ports/store.ts'
import { readRows } from './declare/read-rows.ts'

/** A replicated table on one server, as the server itself reports it. */
export interface ReplicaState {
  /** UUIDs: the server keeps its own on its disk, a table that is made again has another one. */
  readonly server: string
  readonly uuid: string
  readonly host: string
  readonly table: string
  /** Without Keeper, or unable to read the table's log there. */
  readonly isCut: boolean
  /** Parts to fetch, or to look for. */
  readonly partsAway: number
  /** Of the table's log in Keeper: the next entry to copy, and the newest. */
  readonly logNext: number
  readonly logNewest: number
  /** Parts that all replicas have lost. */
  readonly partsLost: number
  /** Seconds since the server started. */
  readonly uptime: number
}

const columns = `
SELECT toString(serverUUID()), toString(uuid), hostName(), table,
  is_readonly OR is_session_expired OR last_queue_update_exception != '' OR
    zookeeper_exception != '' AS isCut,
  toUInt64(inserts_in_queue) + toUInt64(parts_to_check) + (oldest_part_to_get != ''),
  log_pointer, log_max_index,
  toUInt64(lost_part_count), toUInt64(uptime())`

/** A server that does not answer is left out soon, and holds up no other one. */
const settings = `
SETTINGS skip_unavailable_shards = 1, connect_timeout_with_failover_ms = 300, \
connections_with_failover_max_tries = 1, handshake_timeout_ms = 300, max_execution_time = 1`

const where = 'WHERE database = {database:String}'
const ofCluster = `${columns}
FROM clusterAllReplicas({cluster:Identifier}, system.replicas)
${where}${settings}`
const ofOneServer = `${columns}
FROM system.replicas
${where}`

export interface ReplicasAsked {
  /** Empty: only the server that answers. */
  readonly cluster: string
  readonly database: string
  readonly signal: AbortSignal
}

/** @throws StoreUnavailable; StoreDenied without the grants that `deploy/README.md` lists */
export async function replicaStates(
  store: Pick<Store, 'query'>,
  { cluster, database, signal }: ReplicasAsked,
): Promise<readonly ReplicaState[]> {
  const [sql, parameters] =
    cluster === '' ? [ofOneServer, { database }] : [ofCluster, { database, cluster }]
  return await readRows(store, { sql, parameters, signal, isUrgent: true }, (source) => ({
    server: source.text(),
    uuid: source.text(),
    host: source.text(),
    table: source.text(),
    isCut: source.uint8() === 1,
    partsAway: source.uint64(),
    logNext: source.uint64(),
    logNewest: source.uint64(),
    partsLost: source.uint64(),
    uptime: source.uint64(),
  }))
}

/**
 * Why a table on a server may lack rows; null if it had all of them when it was asked. What a
 * replica has not copied from the log does not count as part of its queue yet.
 * @param isEmptyLog whether no replica has copied anything from the table's log
 */
export function whyBehind(state: ReplicaState, isEmptyLog: boolean): string | null {
  if (state.isCut) return 'it has lost Keeper'
  if (state.uptime < replicaUptimeMin) return `it has started less than ${replicaUptimeMin} s ago`
  if (state.partsAway > 0) return `${state.partsAway} parts are to be fetched`
  const isCopied = state.logNext > state.logNewest || (isEmptyLog && state.logNewest === 0)
  return isCopied ? null : 'entries of the log are to be copied'
}

const currentDatabaseSql = 'SELECT currentDatabase()'

export async function currentDatabase(store: Pick<Store, 'query'>): Promise<string> {
  const [name = ''] = await readRows(store, { sql: currentDatabaseSql }, (source) => source.text())
  return name
}

/** Clusters of one shard that the answering server belongs to, the largest first. */
const ownClusterSql = `
SELECT cluster
FROM system.clusters
GROUP BY cluster
HAVING max(is_local) = 1 AND max(shard_num) = 1 AND count() > 1
ORDER BY count() DESC, cluster
LIMIT 1`

/** The name of a cluster whose servers are all replicas; empty if there is none. */
export async function ownCluster(store: Pick<Store, 'query'>): Promise<string> {
  const [name = ''] = await readRows(store, { sql: ownClusterSql }, (source) => source.text())
  return name
}
