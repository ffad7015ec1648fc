import { inject } from 'vitest'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import {
  createDatabase,
  type EngineAddress,
  queryEngine,
} from '../../libs/adapters/clickhouse/query-engine.ts'
import type { Store } from '../../libs/ports/store.ts'
import { migrate } from '../../libs/tables/migrate.ts'

export interface TestStore {
  /** On a database of its own, with all tables. */
  readonly store: Store
  readonly address: EngineAddress
  readonly database: string
  /** Closes the store and drops its database. */
  drop(): Promise<void>
}

let databases = 0

/** A fresh database on the engine that all spec files share (`shared-engine.ts`). */
export async function testStore(): Promise<TestStore> {
  const address = inject('engine')
  databases += 1
  const database = `test_${process.pid}_${databases}`
  await createDatabase(address, database)
  const store = clickhouseStore({ ...address, database })
  await migrate(store)
  const drop = async () => {
    await store.close()
    await dropTestDatabase(address, database)
  }
  return { store, address, database, drop }
}

/** Nothing but what tests made may be destroyed by tests. */
export async function dropTestDatabase(address: EngineAddress, database: string): Promise<void> {
  if (!/^test_\d+_\d+$/.test(database)) throw new Error(`not a test database: ${database}`)
  await queryEngine(address, `DROP DATABASE IF EXISTS ${database} SYNC`)
}
