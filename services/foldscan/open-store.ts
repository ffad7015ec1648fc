import { join } from 'node:path'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import { startEngine } from '../../libs/adapters/clickhouse/embedded-engine.ts'
import type { Store } from '../../libs/ports/store.ts'
import type { Log } from '../../libs/signals/log.ts'
import { migrate } from '../../libs/tables/migrate.ts'
import type { Parts } from './parts.ts'

const database = 'foldscan'

export interface StoreWish {
  /** The data folder, absolute. */
  readonly folder: string
  readonly log: Log
  readonly parts: Parts
}

/** The engine as a child process, with its tables as they should be. */
export async function openStore({ folder, log, parts }: StoreWish): Promise<Store> {
  const engine = await startEngine({ folder: join(folder, 'engine'), log })
  const { url, username, password } = engine
  parts.add({ name: 'engine', stop: () => engine.stop(), failed: engine.exited })
  const first = clickhouseStore({ url, username, password, database: 'default' })
  await first.execute(`CREATE DATABASE IF NOT EXISTS ${database} ENGINE = Atomic`)
  await first.close()
  const store = clickhouseStore({ url, username, password, database })
  parts.add({ name: 'store', stop: () => store.close() })
  await migrate(store)
  return store
}
