import { ClickHouseLogLevel } from '@clickhouse/client'
import { type ClickhouseOptions, clickhouseDefaults } from './clickhouse-options.ts'

/** The server closes an idle socket after 3 s at the earliest (30 s ours); we do so before. */
const idleSocketMs = 2_000
/** The server ends a statement itself, and says so; the client's own end comes after. */
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
