import { ClickHouseLogLevel } from '@clickhouse/client'

/** Which server, as whom, with which patience. */
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
  /** Those of our settings of questions that the server lets us change: see `settingsLeftToUs`. */
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
  waitingMax: 2_048,
  /** Pages have their own, shorter one, before their first query. */
  waitMsMax: 10_000,
  queryTimeoutMs: 10_000,
  pingTimeoutMs: 5_000,
  queryMemoryMaxBytes: 512 * 1024 ** 2,
  insertTimeoutMs: 120_000,
} as const

/** The server closes an idle socket after 3 s at the earliest (30 s ours); we do so before. */
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
