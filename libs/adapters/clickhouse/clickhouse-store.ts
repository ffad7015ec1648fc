import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type ClickHouseSettings, createClient } from '@clickhouse/client'
import type { QueryCost, Store } from '../../ports/store.ts'
import { type ClickhouseOptions, clickhouseDefaults } from './clickhouse-options.ts'
import { clientOptions } from './client-options.ts'
import { asAllowed, servingSettings } from './serving-settings.ts'
import { Turns } from './turns.ts'
import { isReset, storeError } from './unavailable.ts'

/** ClickHouse over HTTP. */
export function clickhouseStore(options: ClickhouseOptions): Store {
  const o = { ...clickhouseDefaults, ...options }
  const reading = createClient(clientOptions(o, o.queryTimeoutMs))
  const writing = createClient(clientOptions(o, o.insertTimeoutMs))
  const serving = servingSettings(o)
  const inserting = { ...insertSettings, ...(o.isCluster ? quorumSettings : {}) }
  const turns = new Turns(o)
  return {
    insert: (table, columns, rows) =>
      named(`insert into ${table}`, async () => {
        const result = await writing.exec({
          query: `INSERT INTO ${quoted(table)} (${columns.map(quoted)}) FORMAT RowBinary`,
          values: Readable.from([rows], { objectMode: false }),
          clickhouse_settings: inserting,
        })
        await buffer(result.stream)
      }),
    query(sql, parameters, onCost) {
      const ask = async () => {
        const result = await reading.exec({
          query: `${asAllowed(sql, o.servingNames)}\nFORMAT RowBinary`,
          query_params: parameters,
          clickhouse_settings: serving,
        })
        onCost?.(costOf(result.summary))
        return await buffer(result.stream)
      }
      return turns.take(() => named('query', ask))
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

/** One insert is one block: seen as a whole, and on the disk when it is acknowledged. */
const insertSettings: ClickHouseSettings = {
  async_insert: 0,
  // Above both bounds of a flush: nothing splits it.
  max_insert_block_size: '1100000',
  min_insert_block_size_rows: '1100000',
  min_insert_block_size_bytes: '268435456',
  wait_end_of_query: 1,
}

/** A replica that is lost the moment after has told others; how many are most, the server knows. */
const quorumSettings: ClickHouseSettings = { insert_quorum: 'auto', insert_quorum_parallel: 1 }

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
