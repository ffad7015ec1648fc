import type { ClickHouseSettings } from '@clickhouse/client'
import { z } from 'zod'

/**
 * Settings of a profile that shorten results without an error: at a limit the server returns what
 * it has so far, or what one setting leaves out. All lists would end early.
 */
export const wholeResults = {
  read_overflow_mode: 'throw',
  read_overflow_mode_leaf: 'throw',
  group_by_overflow_mode: 'throw',
  sort_overflow_mode: 'throw',
  result_overflow_mode: 'throw',
  timeout_overflow_mode: 'throw',
  timeout_overflow_mode_leaf: 'throw',
  set_overflow_mode: 'throw',
  join_overflow_mode: 'throw',
  transfer_overflow_mode: 'throw',
  distinct_overflow_mode: 'throw',
  limit: '0',
  offset: '0',
  skip_unavailable_shards: 0,
} as const satisfies ClickHouseSettings

/** Values of those settings for this user; a server lists only those that it knows. */
export const askedSettings = `SELECT name, value FROM system.settings
WHERE name IN (${Object.keys(wholeResults)
  .map((name) => `'${name}'`)
  .join(', ')})`

const rowsForm = z.array(z.object({ name: z.string(), value: z.string() }))

/** Those that shorten results, as the server lists them. @param rows of {@link askedSettings} */
export const shortening = (rows: unknown): readonly { name: string; value: string }[] =>
  rowsForm
    .parse(rows)
    .filter(({ name, value }) => value !== String(Reflect.get(wholeResults, name) ?? value))
