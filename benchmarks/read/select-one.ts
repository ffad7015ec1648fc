import { text } from 'node:stream/consumers'
import { createClient } from '@clickhouse/client'
import {
  clickhouseDefaults,
  clientOptions,
  querySettings,
} from '../../libs/adapters/clickhouse/clickhouse-options.ts'
import type { EngineAddress } from '../../libs/adapters/clickhouse/query-engine.ts'
import type { Store } from '../../libs/ports/store.ts'
import { median } from '../report/result.ts'

const runs = 100

/**
 * Median of `SELECT 1` by @clickhouse/client with the settings of our queries, which are faster
 * than the server's own. In ms.
 */
export async function selectOneByClient(address: EngineAddress): Promise<number> {
  const client = createClient(clientOptions({ ...address, database: 'default' }, 10_000))
  const settings = querySettings(clickhouseDefaults)
  try {
    return await medianOf(async () => {
      const { stream } = await client.exec({
        query: 'SELECT 1 FORMAT TSV',
        clickhouse_settings: settings,
      })
      return await text(stream)
    }, '1\n')
  } finally {
    await client.close()
  }
}

/** The same by the store of the API. */
export const selectOneByStore = (store: Store): Promise<number> =>
  medianOf(async () => (await store.query('SELECT 1', {})).toString('hex'), '01')

async function medianOf(select: () => Promise<string>, expected: string): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < runs; run++) {
    const startedAt = performance.now()
    const result = await select()
    times.push(performance.now() - startedAt)
    if (result !== expected) throw new Error(`SELECT 1 returned ${JSON.stringify(result)}`)
  }
  return median(times)
}
