import { ClickHouseError, type ClickHouseSettings, createClient } from '@clickhouse/client'
import type { ClickhouseOptions } from './clickhouse-options.ts'
import { clientOptions } from './client-options.ts'
import { storeError } from './unavailable.ts'

interface Serving {
  readonly queryTimeoutMs: number
  readonly queryMemoryMaxBytes: number
  readonly servingNames?: readonly string[]
}

/** Answers are held back until they are whole: an error in the middle is an error. */
export function servingSettings(serving: Serving): ClickHouseSettings {
  const { servingNames } = serving
  const all = wished(serving)
  const wait = { wait_end_of_query: 1 } as const
  if (servingNames === undefined) return { ...wait, ...all }
  const kept = Object.entries(all).filter(([name]) => servingNames.includes(name))
  return { ...wait, ...Object.fromEntries(kept) }
}

/** What a question may take and do, as far as the profile of the user leaves it to us. */
const wished = ({ queryTimeoutMs, queryMemoryMaxBytes }: Serving): ClickHouseSettings => ({
  readonly: '2',
  max_threads: 1,
  log_queries: 0,
  max_execution_time: queryTimeoutMs / 1_000,
  max_memory_usage: String(queryMemoryMaxBytes),
})

/** Codes of the engine: the profile fixes a setting, or bounds it, or does not know it. */
const fixed = new Set(['164', '452', '115'])
const askTimeoutMs = 5_000

/**
 * Which of our settings of questions the server lets this user change. A profile that is read-only
 * (1) fixes them all, another may fix some; then the profile's own values stand.
 * @throws StoreUnavailable, StoreDenied, StoreMissing
 */
export async function settingsLeftToUs(options: ClickhouseOptions): Promise<string[]> {
  const client = createClient({
    ...clientOptions(options, askTimeoutMs),
    max_open_connections: 1,
  })
  const limits = { queryTimeoutMs: 10_000, queryMemoryMaxBytes: 512 * 1024 ** 2, ...options }
  const left: string[] = []
  try {
    await client.command({ query: 'SELECT 1 FORMAT Null' })
    for (const [name, value] of Object.entries(wished(limits))) {
      const clickhouse_settings = { [name]: value }
      const isLeft = await client
        .command({ query: 'SELECT 1 FORMAT Null', clickhouse_settings })
        .then(
          () => true,
          (error: unknown) => {
            if (error instanceof ClickHouseError && fixed.has(error.code)) return false
            throw error
          },
        )
      if (isLeft) left.push(name)
    }
    return left
  } catch (error) {
    throw storeError(error, 'question')
  } finally {
    await client.close()
  }
}
