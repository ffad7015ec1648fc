import { ClickHouseLogLevel, type ClickHouseSettings } from '@clickhouse/client'
import { wholeResults } from './partial-results.ts'

/** Server, user and time limits of a client. */
export interface ClickhouseOptions {
  readonly url: string
  /** Must exist. All statements run in it. */
  readonly database: string
  readonly username?: string
  readonly password?: string
  /** PEM of the authority that signed the server's certificate, if no public one did. */
  readonly authority?: string
  /** Rows are acknowledged once most replicas have them; else once they are on the disk. */
  readonly isCluster?: boolean
  /** Query settings that the profile lets us change: see `changeableSettings`. */
  readonly changeableSettings?: readonly string[]
  /** Queries at once; inserts have as many of their own. */
  readonly maxConnections?: number
  /** Queries that wait for a connection; the next is refused at once. */
  readonly waitingMax?: number
  /** How long a query waits for a connection; then it is refused. */
  readonly waitMsMax?: number
  readonly queryTimeoutMs?: number
  readonly pingTimeoutMs?: number
  /** Memory of one query. */
  readonly queryMemoryMaxBytes?: number
  readonly insertTimeoutMs?: number
}

export const clickhouseDefaults = {
  maxConnections: 16,
  /** Above what the pages loaded at once can ask: see `pageLoadLimits`. */
  waitingMax: 8_192,
  /** Pages have their own, shorter one, before their first query. */
  waitMsMax: 10_000,
  queryTimeoutMs: 10_000,
  pingTimeoutMs: 5_000,
  queryMemoryMaxBytes: 512 * 1024 ** 2,
  insertTimeoutMs: 120_000,
} as const

/** The server closes idle sockets after 3 s at the earliest, so the client closes them before. */
const idleSocketMs = 2_000
/** The server aborts a statement itself and returns an error; the client's time-out comes later. */
const graceMs = 2_000

/** What the client is made with, for statements that may take so long. */
export const clientOptions = (options: ClickhouseOptions, timeoutMs: number) => ({
  url: options.url,
  database: options.database,
  username: options.username ?? 'default',
  password: options.password ?? '',
  ...(options.authority === undefined ? {} : { tls: { ca_cert: Buffer.from(options.authority) } }),
  max_open_connections: options.maxConnections ?? clickhouseDefaults.maxConnections,
  request_timeout: timeoutMs + graceMs,
  keep_alive: {
    enabled: true,
    idle_socket_ttl: idleSocketMs,
    eagerly_destroy_stale_sockets: true,
  },
  log: { level: ClickHouseLogLevel.OFF },
  application: 'foldscan',
})

interface Serving {
  readonly queryTimeoutMs: number
  readonly queryMemoryMaxBytes: number
  readonly changeableSettings?: readonly string[]
}

/**
 * Parameters of a request, which no profile fixes. Its response is buffered until it is complete,
 * so that an error in the middle is reported; up to 4 MiB, as a page's results have, in memory:
 * without `buffer_size` the server writes each response to a file of its own and reads it again,
 * even of an insert. It ignores sizes up to 1 MiB.
 */
export const bufferedResponse = {
  wait_end_of_query: 1,
  buffer_size: String(4 * 1024 ** 2),
} as const

/** Settings of every query, of which the profile of the user allows some only. */
export function querySettings(serving: Serving): ClickHouseSettings {
  const { changeableSettings: servingNames } = serving
  const all = desiredSettings(serving)
  if (servingNames === undefined) return { ...bufferedResponse, ...all }
  // The last ones are left to us only where the profile has other values.
  const kept = Object.entries({ ...all, ...wholeResults }).filter(([name]) =>
    servingNames.includes(name),
  )
  return { ...bufferedResponse, ...Object.fromEntries(kept) }
}

/** What a question may take and do, as far as the profile of the user leaves it to us. */
export const desiredSettings = ({
  queryTimeoutMs,
  queryMemoryMaxBytes,
}: Serving): ClickHouseSettings => ({
  readonly: '2',
  max_threads: 1,
  // Else two threads more write each result, which has a few kilobytes.
  output_format_parallel_formatting: 0,
  log_queries: 0,
  // A query that was aborted here must not continue on the server in addition to the next ones.
  cancel_http_readonly_queries_on_client_close: 1,
  max_execution_time: queryTimeoutMs / 1_000,
  max_memory_usage: String(queryMemoryMaxBytes),
  // It has returned wrong rows (ClickHouse #104781, #107145), and is no gain for primary keys.
  use_query_condition_cache: 0,
})

/** The bound of one result, where the server leaves it to us; it is checked here too. */
export const resultLimitSettings = (
  bytesMax: number | undefined,
  servingNames: readonly string[] | undefined,
): ClickHouseSettings =>
  bytesMax === undefined || servingNames?.includes('max_result_bytes') === false
    ? {}
    : { max_result_bytes: String(bytesMax) }

/**
 * What single statements set: some of the values, and of blocks the least and the greatest. One
 * that the profile has at the value of every question may still be fixed for these.
 */
export const ofStatements: readonly ClickHouseSettings[] = [
  { max_block_size: '1024' },
  { max_block_size: '65536' },
  { max_result_bytes: '1048576' },
  { max_rows_to_read: '1000000' },
  { max_bytes_to_sort: '67108864' },
  { enable_shared_storage_snapshot_in_query: 1 },
  { max_execution_time: 1 },
  { skip_unavailable_shards: 1 },
  { connect_timeout_with_failover_ms: 300 },
  { connections_with_failover_max_tries: '1' },
  { handshake_timeout_ms: 300 },
]
const clauseForm = /\nSETTINGS ([^\n]+)\n?$/

/** A statement without those settings of its SETTINGS clause that the profile fixes. */
export function withoutFixedSettings(
  sql: string,
  servingNames: readonly string[] | undefined,
): string {
  if (servingNames === undefined) return sql
  return sql.replace(clauseForm, (_, clause: string) => {
    const kept = clause.split(', ').filter((one) => servingNames.includes(one.split(' ')[0] ?? ''))
    return kept.length === 0 ? '' : `\nSETTINGS ${kept.join(', ')}`
  })
}

/**
 * Settings that bound a query of several subjects: the rows that it reads, and the memory for
 * sorting them. Beyond either the query is split; without one of them it might fail as a whole.
 */
const boundsOfSharedQueries = ['max_rows_to_read', 'max_bytes_to_sort'] as const

/** Those of them that the profile fixes: with any, each subject is read alone. */
export const fixedBounds = (servingNames: readonly string[] | undefined): readonly string[] =>
  servingNames === undefined
    ? []
    : boundsOfSharedQueries.filter((name) => !servingNames.includes(name))

/**
 * Rows survive the loss of a replica right after the insert; the server computes the quorum. It
 * gives up waiting for it before the client does, so that the error names the quorum.
 */
export const quorumSettings = (insertTimeoutMs: number): ClickHouseSettings => ({
  insert_quorum: 'auto',
  insert_quorum_parallel: 1,
  insert_quorum_timeout: Math.ceil(insertTimeoutMs / 2),
})
