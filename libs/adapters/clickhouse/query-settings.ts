import {
  type ClickHouseClient,
  ClickHouseError,
  type ClickHouseSettings,
  createClient,
} from '@clickhouse/client'
import { type ClickhouseOptions, clickhouseDefaults, clientOptions } from './clickhouse-options.ts'
import { serverAt, storeError } from './store-error.ts'

interface Serving {
  readonly queryTimeoutMs: number
  readonly queryMemoryMaxBytes: number
  readonly changeableSettings?: readonly string[]
}

/** Answers are held back until they are whole: an error in the middle is an error. */
export function querySettings(serving: Serving): ClickHouseSettings {
  const { changeableSettings: servingNames } = serving
  const all = desiredSettings(serving)
  const wait = { wait_end_of_query: 1 } as const
  if (servingNames === undefined) return { ...wait, ...all }
  const kept = Object.entries(all).filter(([name]) => servingNames.includes(name))
  return { ...wait, ...Object.fromEntries(kept) }
}

/** What a question may take and do, as far as the profile of the user leaves it to us. */
const desiredSettings = ({ queryTimeoutMs, queryMemoryMaxBytes }: Serving): ClickHouseSettings => ({
  readonly: '2',
  max_threads: 1,
  log_queries: 0,
  // A query that was aborted here must not continue on the server in addition to the next ones.
  cancel_http_readonly_queries_on_client_close: 1,
  max_execution_time: queryTimeoutMs / 1_000,
  max_memory_usage: String(queryMemoryMaxBytes),
})

/** The bound of one result, where the server leaves it to us; it is checked here too. */
export const resultLimitSettings = (
  bytesMax: number | undefined,
  servingNames: readonly string[] | undefined,
): ClickHouseSettings =>
  bytesMax === undefined || servingNames?.includes('max_result_bytes') === false
    ? {}
    : { max_result_bytes: String(bytesMax) }

/** What some statements say of themselves, behind their last word. */
const ofStatements: ClickHouseSettings = { max_block_size: '1024', max_result_bytes: '1048576' }
const clauseForm = /\nSETTINGS ([^\n]+)\n?$/

/** A statement without those of its own settings that the server does not let us change. */
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

/** Codes of the engine: the profile fixes a setting, or bounds it, or does not know it. */
const fixed = new Set(['164', '452', '115'])
const askTimeoutMs = 5_000

/**
 * Which of our query settings the server lets this user change. A read-only profile (1) fixes all
 * of them, another may fix some; then the profile's own values apply.
 * @throws StoreUnavailable, StoreDenied, StoreMissing, StoreFailed
 */
export async function changeableSettings(options: ClickhouseOptions): Promise<string[]> {
  const settings = { ...clientOptions(options, askTimeoutMs), max_open_connections: 1 }
  const client = createClient(settings)
  const all = { ...desiredSettings({ ...clickhouseDefaults, ...options }), ...ofStatements }
  const left: string[] = []
  try {
    await client.command({ query: nothing })
    for (const [name, value] of Object.entries(all)) {
      if (await isLeft(client, { [name]: value })) left.push(name)
    }
    return left
  } catch (error) {
    const asked = 'settings that the user may change'
    throw storeError(error, {
      server: serverAt(options.url),
      asked,
      timeoutMs: settings.request_timeout,
    })
  } finally {
    await client.close()
  }
}

const nothing = 'SELECT 1 FORMAT Null'

async function isLeft(client: ClickHouseClient, one: ClickHouseSettings): Promise<boolean> {
  try {
    await client.command({ query: nothing, clickhouse_settings: one })
    return true
  } catch (error) {
    if (error instanceof ClickHouseError && fixed.has(error.code)) return false
    throw error
  }
}
