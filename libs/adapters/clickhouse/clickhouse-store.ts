import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { ClickHouseLogLevel, type ClickHouseSettings, createClient } from '@clickhouse/client'
import pLimit from 'p-limit'
import { type QueryCost, type Store, StoreUnavailable } from '../../ports/store.ts'
import { isReset, storeError } from './unavailable.ts'

export interface ClickhouseOptions {
  readonly url: string
  /** Must exist. All statements run in it. */
  readonly database: string
  readonly username?: string
  readonly password?: string
  /** Questions at once; inserts have as many of their own. */
  readonly maxConnections?: number
  /** Questions that wait for a connection; the next is refused at once. */
  readonly waitingMax?: number
  readonly queryTimeoutMs?: number
  /** Memory of one question. */
  readonly queryMemoryMaxBytes?: number
  readonly insertTimeoutMs?: number
}

const defaults = {
  maxConnections: 16,
  waitingMax: 1_024,
  queryTimeoutMs: 10_000,
  queryMemoryMaxBytes: 512 * 1024 ** 2,
  insertTimeoutMs: 120_000,
}

/** The server closes an idle socket after 3 s at the earliest (30 s ours); we do so before. */
const idleSocketMs = 2_000
/** The server ends a statement itself, and says so; the client's own end comes after. */
const graceMs = 2_000

/** ClickHouse over HTTP. */
export function clickhouseStore(options: ClickhouseOptions): Store {
  const o = { ...defaults, ...options }
  const reading = clientOf(o, o.queryTimeoutMs)
  const writing = clientOf(o, o.insertTimeoutMs)
  const serving = servingSettings(o.queryTimeoutMs, o.queryMemoryMaxBytes)
  const gate = pLimit(o.maxConnections)
  return {
    insert: (table, columns, rows) =>
      named(`insert into ${table}`, async () => {
        const result = await writing.exec({
          query: `INSERT INTO ${quoted(table)} (${columns.map(quoted)}) FORMAT RowBinary`,
          values: Readable.from([rows], { objectMode: false }),
          clickhouse_settings: insertSettings,
        })
        await buffer(result.stream)
      }),
    query(sql, parameters, onCost) {
      if (gate.pendingCount >= o.waitingMax) {
        const sentence = `${gate.pendingCount} questions wait for the store already`
        return Promise.reject(new StoreUnavailable(sentence))
      }
      const ask = async () => {
        const result = await reading.exec({
          query: `${sql}\nFORMAT RowBinary`,
          query_params: parameters,
          clickhouse_settings: serving,
        })
        onCost?.(costOf(result.summary))
        return await buffer(result.stream)
      }
      return gate(() => named('query', ask))
    },
    async execute(sql) {
      // Not asked again: a statement may have been done though its answer was lost.
      await writing.command({ query: sql }).catch((error: unknown) => {
        throw storeError(error, 'statement')
      })
    },
    async close() {
      await Promise.all([reading.close(), writing.close()])
    },
  }
}

type Filled = ClickhouseOptions & typeof defaults

const clientOf = (options: Filled, timeoutMs: number) =>
  createClient({
    url: options.url,
    database: options.database,
    username: options.username ?? 'default',
    password: options.password ?? '',
    max_open_connections: options.maxConnections,
    request_timeout: timeoutMs + graceMs,
    keep_alive: {
      enabled: true,
      idle_socket_ttl: idleSocketMs,
      eagerly_destroy_stale_sockets: true,
    },
    log: { level: ClickHouseLogLevel.OFF },
    application: 'foldscan',
  })

/** One insert is one block: seen as a whole, and on the disk when it is acknowledged. */
const insertSettings: ClickHouseSettings = {
  async_insert: 0,
  // Above both bounds of a flush: nothing splits it.
  max_insert_block_size: '1100000',
  min_insert_block_size_rows: '1100000',
  min_insert_block_size_bytes: '268435456',
  wait_end_of_query: 1,
}

/** Answers are held back until they are whole: an error in the middle is an error. */
const servingSettings = (timeoutMs: number, memoryMaxBytes: number): ClickHouseSettings => ({
  wait_end_of_query: 1,
  readonly: '2',
  max_threads: 1,
  log_queries: 0,
  max_execution_time: timeoutMs / 1_000,
  max_memory_usage: String(memoryMaxBytes),
})

/** Once more after a reset: the server may close an idle socket just when we take it. */
async function named<T>(asked: string, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt().catch((error: unknown) => {
      if (isReset(error)) return attempt()
      throw error
    })
  } catch (error) {
    throw storeError(error, asked)
  }
}

const quoted = (name: string) => `\`${name.replaceAll('`', '')}\``

const costOf = (summary: { read_rows: string; read_bytes: string } | undefined): QueryCost => ({
  rowsRead: Number(summary?.read_rows ?? 0),
  bytesRead: Number(summary?.read_bytes ?? 0),
})
